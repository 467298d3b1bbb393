// # Send from Java
//
// With `java.net.http`:
//
// - If the secret has characters outside ASCII, set `LC_ALL=C.UTF-8`, because Java decodes environment variables by the locale, and many
//   containers have none. Secrets of `generateSecret()` are ASCII.

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Webhook {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  /** Sends JSON once, and returns the status of the answer. Serialize the event once: the same text is signed and sent. */
  static int send(String url, String json, String secret)
      throws GeneralSecurityException, IOException, InterruptedException {
    var timestamp = Long.toString(Instant.now().getEpochSecond());
    var nonce = UUID.randomUUID().toString();
    var mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
    var signature = mac.doFinal((timestamp + ":" + nonce + ":" + json).getBytes(UTF_8));
    var request = HttpRequest.newBuilder(URI.create(url))
        .header("Content-Type", "application/json")
        .header("X-Timestamp", timestamp)
        .header("X-Nonce", nonce)
        .header("X-Signature", HexFormat.of().formatHex(signature))
        .timeout(Duration.ofSeconds(10))
        .POST(HttpRequest.BodyPublishers.ofString(json))
        .build();
    return CLIENT.send(request, BodyHandlers.discarding()).statusCode();
  }
}
