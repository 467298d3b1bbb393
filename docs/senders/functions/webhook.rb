# # Send from Ruby
#
# With `net/http`:
#
# - With Faraday, pass the signed text as the body instead of `request :json`, which serializes again.

require 'json'
require 'net/http'
require 'openssl'
require 'securerandom'

# Sends an event once, and returns the status of the answer.
def send_webhook(url, event, secret)
  body = JSON.generate(event) # serialized once: these bytes are signed, and these bytes are sent
  timestamp = Time.now.to_i.to_s
  nonce = SecureRandom.uuid
  headers = {
    'Content-Type' => 'application/json',
    'X-Timestamp' => timestamp,
    'X-Nonce' => nonce,
    'X-Signature' => OpenSSL::HMAC.hexdigest('SHA256', secret, "#{timestamp}:#{nonce}:#{body}")
  }
  Net::HTTP.post(URI(url), body, headers).code.to_i
end
