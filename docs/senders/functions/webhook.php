<?php
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
