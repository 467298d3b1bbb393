# Broken requests as senders in Ruby make them, one JSON object a line.
require 'base64'
require 'json'
require 'openssl'

SECRET = 's3cr3t-of-ruby'
TIMESTAMP = '1700000000'
NONCE = 'abc-123'
EVENT = { 'id' => 1, 'price' => 12.0, 'big' => 12345678901234567890, 'name' => "Zoë </b> \u2028", 'n' => nil, 't' => 1e20 }
BODY = JSON.generate(EVENT)
EMPTY = { 'a' => [], 'b' => {}, 'c' => [[]] }

def hmac(message, key = SECRET)
  OpenSSL::HMAC.hexdigest('SHA256', key, message)
end

def request(name, codes, signature, body = BODY)
  headers = { 'X-Timestamp' => TIMESTAMP, 'X-Nonce' => NONCE, 'X-Signature' => signature }
  puts JSON.generate(name: "Ruby: #{name}", codes: codes, now: 1_700_000_002_000, secret: SECRET, headers: headers,
                     body: Base64.strict_encode64(body))
end

head = "#{TIMESTAMP}:#{NONCE}:"
request('the hash in a string', ['body_json'], hmac("#{head}#{EVENT}"))
symbols = { event: 'paid', 'to-do': [nil, { '@id': 1, b?: true }] }
request('a hash of symbols in a string', ['body_json'], hmac("#{head}#{symbols}"), JSON.generate(symbols))
request('pretty_generate', ['body_json'], hmac(head + JSON.pretty_generate(EVENT)))
request('pretty_generate of empty ones', ['body_json'], hmac(head + JSON.pretty_generate(EMPTY)), JSON.generate(EMPTY))
request('ascii_only', ['body_json'], hmac(head + JSON.generate(EVENT, ascii_only: true)))
request('encode64', ['signature_format'], Base64.encode64(OpenSSL::HMAC.digest('SHA256', SECRET, head + BODY)).strip)
request('arguments swapped', ['signature_algorithm'], hmac(SECRET, head + BODY))
request('puts', ['body_newline'], hmac("#{head}#{BODY}\n"))
request('Time.now.to_f', ['message_timestamp'], hmac("#{TIMESTAMP}.0:#{NONCE}:#{BODY}"))
request('Time.now.utc.to_s', ['message_timestamp'], hmac("2023-11-14 22:13:20 UTC:#{NONCE}:#{BODY}"))
request('nil for the nonce', ['message_nonce'], hmac("#{TIMESTAMP}::#{BODY}"))
