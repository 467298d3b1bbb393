# Broken requests as senders in Perl make them, one JSON object a line.
use strict;
use warnings;
use Digest::SHA qw(hmac_sha256_base64 hmac_sha256_hex);
use JSON::PP;
use MIME::Base64;

my ($secret, $timestamp, $nonce) = ('s3cr3t-of-perl', '1700000000', 'abc-123');
my $head = "$timestamp:$nonce:";
my $body = '{"b":{"c":[1,2]},"a":"Zo\u00eb/"}';
my $event = decode_json($body);

sub request {
    my ($name, $code, $signature) = @_;
    my $headers = { 'X-Timestamp' => $timestamp, 'X-Nonce' => $nonce, 'X-Signature' => $signature };
    print JSON::PP->new->canonical->encode({
        name => "Perl: $name", codes => [$code], now => 1700000002000, secret => $secret, headers => $headers,
        body => encode_base64($body, ''),
    }), "\n";
}

my $json = JSON::PP->new->canonical;
request('pretty', 'body_json', hmac_sha256_hex($head . $json->pretty->utf8->encode($event), $secret));
request('canonical', 'body_json', hmac_sha256_hex($head . $json->pretty(0)->encode($event), $secret));
request('Latin-1', 'body_json', hmac_sha256_hex($head . $json->utf8(0)->latin1->encode($event), $secret));
request('base64 without padding', 'signature_format', hmac_sha256_base64($head . $body, $secret));
request('arguments swapped', 'signature_algorithm', hmac_sha256_hex($secret, $head . $body));
