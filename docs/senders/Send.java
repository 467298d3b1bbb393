// # Send from Java
//
// Save this as `Send.java`. It needs only Java 17.
//
// - Java decodes environment variables by the locale. If the secret has characters outside ASCII, set `LC_ALL=C.UTF-8`.

// java Send.java URL FILE, with the secret in WEBHOOK_SECRET.
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Send {
  static HttpRequest signed(URI url, String secret, byte[] body) throws GeneralSecurityException {
    var timestamp = Long.toString(Instant.now().getEpochSecond());
    var nonce = UUID.randomUUID().toString();
    var mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
    mac.update((timestamp + ":" + nonce + ":").getBytes(US_ASCII));
    return HttpRequest.newBuilder(url)
        .header("Content-Type", "application/json")
        .header("X-Timestamp", timestamp)
        .header("X-Nonce", nonce)
        .header("X-Signature", HexFormat.of().formatHex(mac.doFinal(body)))
        .timeout(Duration.ofSeconds(10))
        .POST(BodyPublishers.ofByteArray(body))
        .build();
  }

  public static void main(String[] args) throws Exception {
    var secret = System.getenv("WEBHOOK_SECRET");
    if (args.length != 2 || secret == null || secret.isEmpty()) {
      throw new IllegalArgumentException("usage: java Send.java URL FILE, with WEBHOOK_SECRET set");
    }
    if (secret.contains("\uFFFD")) {
      throw new IllegalArgumentException("Java could not read the secret: run it with LC_ALL=C.UTF-8");
    }
    var url = URI.create(args[0]);
    var body = Files.readAllBytes(Path.of(args[1]));
    var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    for (var wait : new int[] {0, 1, 2, 4}) {
      Thread.sleep((long) (wait * 1000 * (1 + Math.random() / 2))); // up to 50 % longer, so that senders do not retry together
      try {
        var request = signed(url, secret, body); // new for each attempt
        var status = client.send(request, BodyHandlers.discarding()).statusCode();
        System.err.println("response " + status);
        if (status != 429 && status < 500) System.exit(status >= 200 && status < 300 ? 0 : 1);
      } catch (IOException error) {
        System.err.println("no response: " + error);
      }
    }
    System.exit(1);
  }
}
