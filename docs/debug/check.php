<?php
$key = getenv('WEBHOOK_SECRET');
$body = file_get_contents('php://input');
['HTTP_X_TIMESTAMP' => $timestamp, 'HTTP_X_NONCE' => $nonce, 'HTTP_X_SIGNATURE' => $signature] =
    $_SERVER + ['HTTP_X_TIMESTAMP' => '', 'HTTP_X_NONCE' => '', 'HTTP_X_SIGNATURE' => ''];
$message = "$timestamp:$nonce:$body";
file_put_contents('php://stderr', implode("\n", [
    'key: ' . strlen($key) . ' bytes',
    "timestamp: $timestamp (" . strlen($timestamp) . ' characters)',
    'body: ' . strlen($body) . ' bytes, SHA-256 ' . hash('sha256', $body),
    'message: ' . bin2hex($message),
    "your signature:  $signature",
    'right signature: ' . hash_hmac('sha256', $message, $key),
]) . "\n");
http_response_code(204);
