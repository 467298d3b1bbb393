<?php
// # Send from PHP
//
// With the curl extension, which most clients of PHP use:
//
// - Pass `$body` to `CURLOPT_POSTFIELDS`, not `$event`, because curl sends an array as a form.
// - With Guzzle, pass `'body' => $body`, the same headers, and `'allow_redirects' => false` to `$client->post()`. Do not pass `'json'`, because Guzzle
//   then serializes again.
// - In Laravel, `Http::withHeaders($headers)->withBody($body, 'application/json')->withoutRedirecting()->post($url)` sends the signed bytes. This line
//   was not tested.
// - The program needs `allow_url_fopen`, which is on by default.

/** Sends an event once, and returns the status of the answer. PHP 7.4 or later, with the curl extension. */
function sendWebhook(string $url, array $event, string $secret): int
{
    $body = json_encode($event, JSON_THROW_ON_ERROR); // serialized once: these bytes are signed, and these bytes are sent
    $timestamp = (string) time();
    $nonce = bin2hex(random_bytes(16));
    $curl = curl_init($url);
    curl_setopt_array($curl, [
        CURLOPT_POSTFIELDS => $body,
        CURLOPT_HTTPHEADER => [
            'Content-Type: application/json',
            "X-Timestamp: $timestamp",
            "X-Nonce: $nonce",
            'X-Signature: ' . hash_hmac('sha256', "$timestamp:$nonce:$body", $secret),
        ],
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => 10,
    ]);
    if (curl_exec($curl) === false) {
        throw new RuntimeException(curl_error($curl));
    }
    return curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
}
