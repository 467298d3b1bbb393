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

# Newer mistakes.
def sent(name, codes, signature, body: BODY, secret: SECRET, **others)
  headers = { 'X-Timestamp' => TIMESTAMP, 'X-Nonce' => NONCE, 'X-Signature' => signature, 'User-Agent' => 'Ruby' }
  puts JSON.generate(name: "Ruby: #{name}", codes: codes, now: 1_700_000_002_000, secret: secret,
                     headers: headers.merge(others.delete(:headers) || {}), body: Base64.strict_encode64(body), **others)
end

digest = ->(message, key = SECRET) { OpenSSL::HMAC.digest('SHA256', key, message) }
HEX = '9f86d081884c7d659a2feaa0c55ad015'
sent('single quotes', ['message_layout'], hmac('#{timestamp}:#{nonce}:#{body}'))
sent('pack of a hex nonce', ['message_nonce'], hmac("#{TIMESTAMP}:".b + [HEX].pack('H*') + ":#{BODY}".b), headers: { 'X-Nonce' => HEX })
require 'cgi'
sent('CGI.escape of the nonce', ['message_nonce'], hmac("#{TIMESTAMP}:#{CGI.escape('a+b/c==')}:#{BODY}"), headers: { 'X-Nonce' => 'a+b/c==' })
sent('CGI.escape of the sent nonce', ['message_nonce'], hmac("#{TIMESTAMP}:a+b/c==:#{BODY}"), headers: { 'X-Nonce' => CGI.escape('a+b/c==') })
sent('chop', ['secret_changed'], hmac(head + BODY, SECRET.chop))
sent('HMAC of the HMAC in binary', ['signature_algorithm'], hmac(digest.call(head + BODY)))
sent('path and body', ['message_layout'], hmac("/hooks/42#{BODY}"), method: 'POST', path: '/hooks/42')
sent('milliseconds signed', ['message_timestamp'], hmac("1700000000999:#{NONCE}:#{BODY}"))
sent('inspect', ['body_wrapped', 'body_json'], hmac(head + BODY.inspect))
sent('a million seconds with _', ['message_timestamp', 'signature_mismatch'], hmac("1_700_000_000:#{NONCE}:#{BODY}"))
sent('unpack1 of the digest', ['signature_format', 'signature_truncated'], digest.call(head + BODY).unpack1('H4'))
sent('unpack H* of the reversed digest', ['signature_mismatch'], digest.call(head + BODY).reverse.unpack1('H*'))
sent('two nonces', ['signature_mismatch'], hmac("#{TIMESTAMP}:another-nonce:#{BODY}"))
