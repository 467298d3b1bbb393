<?php
// # Send from PHP
//
// Save this as `send.php`. It needs PHP 7.4 with `allow_url_fopen`, which is on by default.
//
// - With the curl extension, pass `$body` to `CURLOPT_POSTFIELDS`. It would send `$event` as a form.
// - With Guzzle, pass `'body' => $body`, the same headers, and `'allow_redirects' => false` to `$client->post()`. `'json'` would serialize again.
// - In Laravel (not tested), use `Http::withHeaders($headers)->withBody($body, 'application/json')->withoutRedirecting()->post($url)`.

// php send.php URL FILE, with the secret in WEBHOOK_SECRET.
$secret = (string) getenv('WEBHOOK_SECRET');
if ($argc !== 3 || $secret === '' || !is_file($argv[2]) || !is_readable($argv[2])) {
    fwrite(STDERR, "usage: php send.php URL FILE, with WEBHOOK_SECRET set\n");
    exit(1);
}
$body = file_get_contents($argv[2]);

function signedHeaders(string $secret, string $body): array
{
    $timestamp = (string) time();
    $nonce = bin2hex(random_bytes(16));
    $signature = hash_hmac('sha256', "$timestamp:$nonce:$body", $secret);
    return ["X-Timestamp: $timestamp", "X-Nonce: $nonce", "X-Signature: $signature"];
}

foreach ([0, 1, 2, 4] as $wait) {
    usleep((int) ($wait * 1e6 * (1 + lcg_value() / 2))); // up to 50 % longer, so that senders do not retry together
    $request = [
        'method' => 'POST',
        'header' => [
            'Content-Type: application/json',
            'Content-Length: ' . strlen($body), // PHP sends none for an empty body
            ...signedHeaders($secret, $body), // new for each attempt
        ],
        'content' => $body,
        'timeout' => 10,
        'follow_location' => 0,
        'ignore_errors' => true, // otherwise fopen fails if the status is above 399
    ];
    $response = @fopen($argv[1], 'rb', false, stream_context_create(['http' => $request]));
    if ($response === false) {
        fwrite(STDERR, 'no response: ' . error_get_last()['message'] . "\n");
        continue;
    }
    $status = (int) explode(' ', stream_get_meta_data($response)['wrapper_data'][0])[1];
    fwrite(STDERR, "response $status\n");
    if ($status !== 429 && $status < 500) {
        exit($status >= 200 && $status < 300 ? 0 : 1);
    }
}
exit(1);
