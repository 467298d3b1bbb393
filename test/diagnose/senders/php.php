<?php
// Broken requests as senders in PHP make them, one JSON object a line.
const SECRET = 's3cr3t/of+php==';
const TIMESTAMP = '1700000000';
const NONCE = 'abc-123';
const HEAD = TIMESTAMP . ':' . NONCE . ':';

$event = ['id' => 1, 'price' => 12.5, 'name' => 'Zoë </b>', 'url' => 'http://a/b', 'l' => [], 'd' => ['x' => true]];
$body = json_encode($event, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
$sorted = $event;
ksort($sorted);

function hmac(string $message, string $key = SECRET): string
{
    return hash_hmac('sha256', $message, $key);
}

function request(string $name, string $code, string $signature, ?string $sent = null, string $secret = SECRET): void
{
    $headers = ['X-Timestamp' => TIMESTAMP, 'X-Nonce' => NONCE, 'X-Signature' => $signature];
    $body = base64_encode($sent ?? $GLOBALS['body']);
    echo json_encode([
        'name' => "PHP: $name", 'codes' => explode(' ', $code), 'now' => 1700000002000, 'secret' => $secret, 'headers' => $headers, 'body' => $body,
    ]), "\n";
}

foreach ([
    'json_encode' => 0,
    'pretty' => JSON_PRETTY_PRINT,
    'pretty, slashes' => JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES,
    'pretty, slashes, Unicode' => JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE,
    'JsonResponse' => JSON_HEX_TAG | JSON_HEX_AMP | JSON_HEX_APOS | JSON_HEX_QUOT,
] as $name => $flags) {
    request($name, 'body_json', hmac(HEAD . json_encode($event, $flags)));
}
$objects = '{"id":1,"url":"http://a/b","meta":{},"l":[]}';
request('json_decode to arrays', 'body_json', hmac(HEAD . json_encode(json_decode($objects, true))), $objects);
request('htmlspecialchars', 'body_changed', hmac(HEAD . htmlspecialchars("{\"a\":\"it's <b> & c\"}")), "{\"a\":\"it's <b> & c\"}");
request('ksort', 'body_json', hmac(HEAD . json_encode($sorted)));
request('pretty with CRLF', 'body_json', hmac(HEAD . str_replace("\n", "\r\n", json_encode($event, JSON_PRETTY_PRINT))));
$form = ['a' => 'x y', 'b' => ['c' => '1', 'd' => 'ü']];
request('http_build_query', 'body_wrapped', hmac(HEAD . http_build_query($form)), json_encode($form, JSON_UNESCAPED_UNICODE));
$fields = ['u' => 'https://a/é', 'n' => 'x y'];
request('json_encode signed, form sent', 'body_wrapped', hmac(HEAD . json_encode($fields)), http_build_query($fields));
$flags = ['a' => true, 'b' => null, 'c' => false, 'd' => 1.5];
request('http_build_query of flags', 'body_wrapped', hmac(HEAD . http_build_query($flags)), json_encode($flags));
request('an array for the body', 'body_not_signed', hmac(HEAD . 'Array'));
request('utf8_decode', 'body_encoding', hmac(HEAD . iconv('UTF-8', 'ISO-8859-1', $body)));
request('utf8_encode twice', 'body_encoding', hmac(HEAD . iconv('ISO-8859-1', 'UTF-8', $body)));
request('binary, base64', 'signature_format', base64_encode(hash_hmac('sha256', HEAD . $body, SECRET, true)));
request('uppercase', 'signature_format', strtoupper(hmac(HEAD . $body)));
request('hash of message and secret', 'signature_algorithm', hash('sha256', HEAD . $body . SECRET));
request('hash without separators', 'signature_algorithm', hash('sha256', TIMESTAMP . NONCE . $body . SECRET));
request('sha1= of the body', 'signature_algorithm', 'sha1=' . hash_hmac('sha1', $body, SECRET));
request('base64_decode of the key', 'secret_encoding', hmac(HEAD . $body, base64_decode('c2VjcmV0b2ZwaHA9PQ==')), null, 'c2VjcmV0b2ZwaHA9PQ==');
request('md5 of the key', 'secret_hashed', hmac(HEAD . $body, md5(SECRET)));
request('urlencode of the key', 'secret_changed', hmac(HEAD . $body, urlencode(SECRET)));
