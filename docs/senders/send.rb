# # Send from Ruby
#
# Save this as `send.rb`. It needs only Ruby 2.7.
#
# - With Faraday, pass the signed text as the body. `request :json` would serialize it again.

# ruby send.rb URL FILE, with the secret in WEBHOOK_SECRET.
require 'net/http'
require 'openssl'
require 'securerandom'

abort 'usage: ruby send.rb URL FILE, with WEBHOOK_SECRET set' if ARGV.size != 2 || ENV['WEBHOOK_SECRET'].to_s.empty?
url = URI(ARGV[0])
body = File.binread(ARGV[1])

def signed_headers(body)
  timestamp = Time.now.to_i.to_s
  nonce = SecureRandom.uuid
  message = "#{timestamp}:#{nonce}:".b + body
  signature = OpenSSL::HMAC.hexdigest('SHA256', ENV['WEBHOOK_SECRET'], message)
  { 'X-Timestamp' => timestamp, 'X-Nonce' => nonce, 'X-Signature' => signature }
end

options = { use_ssl: url.scheme == 'https', open_timeout: 10, write_timeout: 10, read_timeout: 10 }
[0, 1, 2, 4].each do |wait|
  sleep wait * rand(1.0..1.5) # up to 50 % longer, so that senders do not retry together
  headers = { 'Content-Type' => 'application/json', **signed_headers(body) } # new for each attempt
  response = Net::HTTP.start(url.hostname, url.port, options) { |http| http.post(url.request_uri, body, headers) }
  warn "response #{response.code}"
  exit response.is_a?(Net::HTTPSuccess) unless response.code == '429' || response.is_a?(Net::HTTPServerError)
rescue IOError, SystemCallError, SocketError, Timeout::Error, OpenSSL::SSL::SSLError, Net::ProtocolError => error
  warn "no response: #{error.message}"
end
exit false
