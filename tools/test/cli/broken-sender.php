<?php
$event = ['event' => 'invoice.paid', 'url' => 'https://example.com/invoices/42', 'amount' => 12.5];
$secret = trim(file_get_contents('webhook.secret'));
$timestamp = (string) time();
$nonce = bin2hex(random_bytes(16));
$signature = hash_hmac('sha256', "$timestamp:$nonce:" . json_encode($event), $secret);

$context = stream_context_create(['http' => [
    'method' => 'POST',
    'header' => [
        'Content-Type: application/json',
        "X-Timestamp: $timestamp",
        "X-Nonce: $nonce",
        "X-Signature: $signature",
    ],
    'content' => json_encode($event, JSON_UNESCAPED_SLASHES),
    'ignore_errors' => true,
]]);
file_get_contents($argv[1], false, $context);
echo $http_response_header[0], "\n";
