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

// Newer mistakes. Each is `$name => [codes, signature, others]`.
function sent(string $name, string $codes, string $signature, array $others = []): void
{
    $headers = ['X-Timestamp' => TIMESTAMP, 'X-Nonce' => NONCE, 'X-Signature' => $signature];
    echo json_encode([
        'name' => "PHP: $name", 'codes' => explode(' ', $codes), 'now' => 1700000002000, 'secret' => $others['secret'] ?? SECRET,
        'headers' => ($others['headers'] ?? []) + $headers, 'body' => base64_encode($others['body'] ?? $GLOBALS['body']),
        ...array_intersect_key($others, ['method' => 0, 'path' => 0]),
    ], JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE), "\n";
}

sent('single quotes', 'message_layout', hmac('$timestamp:$nonce:$body'));
sent('single quotes with braces', 'message_layout', hmac('{$timestamp}:{$nonce}:{$body}'));
sent('single quotes, short names', 'message_layout', hmac('$ts:$nonce:$payload'), ['headers' => ['User-Agent' => 'GuzzleHttp/7']]);
sent('concatenated, the body in single quotes', 'message_layout body_not_signed', hmac(HEAD . '$body'));
$row = ['id' => '7', 'total' => '12.50', 'name' => 'Zoë', 'paid' => true];
$typed = ['id' => 7, 'total' => 12.5, 'name' => 'Zoë', 'paid' => true];
$whole = ['id' => '7', 'count' => '3', 'name' => 'Zoë'];
$count = ['id' => 7, 'count' => 3, 'name' => 'Zoë'];
sent('numbers signed, strings of PDO sent', 'body_json', hmac(HEAD . json_encode($count, JSON_UNESCAPED_UNICODE)), ['body' => json_encode($whole, JSON_UNESCAPED_UNICODE)]);
sent('strings of PDO signed, numbers sent', 'body_json', hmac(HEAD . json_encode($whole)), ['body' => json_encode($whole, JSON_NUMERIC_CHECK)]);
sent('strings with fractions sent', 'body_json', hmac(HEAD . '{"id":7,"total":12.50,"name":"Zoë","paid":true}'), ['body' => json_encode($row, JSON_UNESCAPED_UNICODE)]);
sent('{} signed, no body sent', 'body_not_signed', hmac(HEAD . json_encode(new stdClass())), ['body' => '', 'headers' => ['Content-Length' => '0']]);
sent('[] signed, no body sent', 'body_not_signed', hmac(HEAD . json_encode([])), ['body' => '']);
sent('payload= of a form', 'body_wrapped', hmac(HEAD . $body), ['body' => http_build_query(['payload' => $body]), 'headers' => ['Content-Type' => 'application/x-www-form-urlencoded']]);
sent('payload= signed, JSON sent', 'body_wrapped', hmac(HEAD . http_build_query(['payload' => $body])));
sent('URL and body', 'message_layout', hmac('https://example.com/hooks/42' . $body), ['headers' => ['Host' => 'example.com'], 'method' => 'POST', 'path' => '/hooks/42']);
sent('the last character of the secret cut off', 'secret_changed', hmac(HEAD . $body, substr(SECRET, 0, -1)));
sent('hash_hmac of hash_hmac', 'signature_algorithm', hmac(hmac(HEAD . $body)));
sent('the nonce through rawurlencode', 'message_nonce', hmac(TIMESTAMP . ':' . rawurlencode('Zm9v+/YmFy==') . ':' . $body), ['headers' => ['X-Nonce' => 'Zm9v+/YmFy==']]);
sent('the nonce through hex2bin', 'message_nonce', hmac(TIMESTAMP . ':' . hex2bin('9f86d081884c7d659a2feaa0c55ad015') . ':' . $body), ['headers' => ['X-Nonce' => '9f86d081884c7d659a2feaa0c55ad015']]);
sent('microtime signed, time sent', 'message_timestamp', hmac('1700000000417:' . NONCE . ':' . $body));
$jwt = fn (array $claims) => rtrim(strtr(base64_encode(json_encode($claims)), '+/', '-_'), '=');
$unsigned = $jwt(['typ' => 'JWT', 'alg' => 'HS256']) . '.' . $jwt(['iat' => 1700000000, 'nonce' => NONCE]);
sent('a JWT', 'signature_format', $unsigned . '.' . rtrim(strtr(base64_encode(hash_hmac('sha256', $unsigned, SECRET, true)), '+/', '-_'), '='));
// Two at once.
sent('single quotes, base64', 'message_layout', base64_encode(hash_hmac('sha256', '$timestamp:$nonce:$body', SECRET, true)));
sent('json_encode, the last character of the secret cut off', 'body_json secret_changed', hmac(HEAD . json_encode($event), substr(SECRET, 0, -1)));
sent('microtime, sha256=', 'message_timestamp', 'sha256=' . hmac('1700000000417:' . NONCE . ':' . $body));
// Varied.
sent('var_export', 'signature_mismatch', hmac(HEAD . var_export($event, true)));
sent('print_r', 'signature_mismatch body_json', hmac(HEAD . print_r($event, true)));
sent('serialize', 'signature_mismatch body_json', hmac(HEAD . serialize($event)));
ini_set('serialize_precision', '17');
sent('serialize_precision 17', 'signature_mismatch', hmac(HEAD . json_encode(['total' => 0.1, 'n' => 1])), ['body' => '{"total":0.1,"n":1}']);
sent('bin2hex of the hex', 'signature_format', bin2hex(hmac(HEAD . $body)));
sent('crc32', 'signature_format signature_truncated signature_algorithm', hash('crc32b', HEAD . $body));
sent('the secret as a bearer token', 'secret_exposed', hmac(HEAD . json_encode($event)), ['headers' => ['Authorization' => 'Bearer ' . SECRET]]);
sent('the secret as the signature', 'secret_exposed', SECRET);
sent('the secret in base64 in a header', 'secret_exposed', hmac(HEAD . $body), ['headers' => ['Authorization' => 'Basic ' . base64_encode('api:' . SECRET)]]);
