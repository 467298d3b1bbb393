import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.*;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Broken requests as senders in Java make them, one JSON object a line. */
public class Java {
    static final String SECRET = "s3cr3t-of-java", TIMESTAMP = "1700000000", NONCE = "abc-123";
    static final String HEAD = TIMESTAMP + ":" + NONCE + ":";
    static final String TEXT = "{\"id\":1,\"name\":\"Zoë €\",\"x\":2.50}";
    static final byte[] BODY = TEXT.getBytes(StandardCharsets.UTF_8);

    static final Map<String, Integer> FIELDS = new LinkedHashMap<>();

    static {
        for (String name : List.of("id", "event", "amount", "currency", "customer", "created", "status")) {
            FIELDS.put(name, FIELDS.size());
        }
    }

    static String json(Map<String, Integer> map) {
        StringJoiner members = new StringJoiner(",", "{", "}");
        map.forEach((name, value) -> members.add("\"" + name + "\":" + value));
        return members.toString();
    }

    static byte[] mac(byte[] message, byte[] key, String algorithm) throws Exception {
        Mac mac = Mac.getInstance(algorithm);
        mac.init(new SecretKeySpec(key, algorithm));
        return mac.doFinal(message);
    }

    static byte[] hmac(byte[] message) throws Exception {
        return mac(message, SECRET.getBytes(), "HmacSHA256");
    }

    static byte[] hmac(String message) throws Exception {
        return hmac(message.getBytes(StandardCharsets.UTF_8));
    }

    static void request(String name, String code, String signature, byte[] body) {
        System.out.printf(
            "{\"name\":\"Java: %s\",\"codes\":[\"%s\"],\"now\":1700000002000,\"secret\":\"%s\",\"headers\":"
                + "{\"X-Timestamp\":\"%s\",\"X-Nonce\":\"%s\",\"X-Signature\":\"%s\"},\"body\":\"%s\"}%n",
            name, code, SECRET, TIMESTAMP, NONCE, signature, Base64.getEncoder().encodeToString(body));
    }

    static void request(String name, String code, byte[] signature) {
        request(name, code, HexFormat.of().formatHex(signature), BODY);
    }

    public static void main(String[] arguments) throws Exception {
        for (String charset : List.of("ISO-8859-1", "windows-1252", "US-ASCII", "UTF-16LE", "UTF-16")) {
            request("getBytes in " + charset, "body_encoding", hmac((HEAD + TEXT).getBytes(charset)));
        }
        byte[] digest = hmac(HEAD + TEXT);
        StringBuilder signed = new StringBuilder();
        StringBuilder unpadded = new StringBuilder();
        for (byte one : digest) signed.append(Integer.toHexString(one));
        for (byte one : digest) unpadded.append(Integer.toHexString(one & 0xff));
        request("toHexString", "signature_format", signed.toString(), BODY);
        request("toHexString without padding", "signature_format", unpadded.toString(), BODY);
        request("Arrays.toString", "signature_format", Arrays.toString(digest), BODY);
        request("MIME base64", "signature_format", Base64.getMimeEncoder().encodeToString(digest), BODY);
        for (int id = 0; ; id++) {
            byte[] body = ("{\"id\":" + id + "}").getBytes();
            byte[] begun = hmac(HEAD + new String(body));
            if (begun[0] < 0 || begun[0] >= 16) continue;
            request("BigInteger", "signature_truncated", new BigInteger(1, begun).toString(16), body);
            break;
        }
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("id", 1);
        map.put("name", "Zoë");
        map.put("l", List.of(1, 2));
        byte[] json = "{\"id\":1,\"name\":\"Zoë\",\"l\":[1,2]}".getBytes(StandardCharsets.UTF_8);
        request("Map.toString", "body_json", HexFormat.of().formatHex(hmac(HEAD + map)), json);
        request("HashMap", "body_json", HexFormat.of().formatHex(hmac(HEAD + json(new HashMap<>(FIELDS)))), json(FIELDS).getBytes());
        String doubles = "{\"created\":" + (double) 1700000000 + ",\"id\":" + (double) 42 + ",\"name\":\"a\"}";
        byte[] integers = "{\"created\":1700000000,\"id\":42,\"name\":\"a\"}".getBytes();
        request("Gson of a Map", "body_json", HexFormat.of().formatHex(hmac(HEAD + doubles)), integers);
        byte[] message = (HEAD + TEXT).getBytes(StandardCharsets.UTF_8);
        request("HmacSHA1", "signature_algorithm", mac(message, SECRET.getBytes(), "HmacSHA1"));
        request("null for the nonce", "message_nonce", hmac(TIMESTAMP + ":null:" + TEXT));
        byte[] hashed = MessageDigest.getInstance("SHA-256").digest(SECRET.getBytes());
        request("hashed key", "secret_hashed", mac(message, hashed, "HmacSHA256"));
        // Newer mistakes.
        for (int id = 0; ; id++) {
            byte[] body = ("{\"id\":" + id + "}").getBytes();
            byte[] begun = hmac(HEAD + new String(body));
            if (begun[0] >= 0) continue;
            request("BigInteger with a sign", "signature_format", new BigInteger(begun).toString(16), body);
            break;
        }
        for (int id = 0; ; id++) {
            byte[] body = ("{\"id\":" + id + "}").getBytes();
            byte[] begun = hmac(HEAD + new String(body));
            if (begun[0] != -1 || begun[1] >= 0) continue;
            request("BigInteger with a sign and fewer digits", "signature_format", new BigInteger(begun).toString(16), body);
            break;
        }
        request("milliseconds signed, seconds sent", "message_timestamp", hmac("1700000000345:" + NONCE + ":" + TEXT));
        request("toString of a byte array", "signature_mismatch", hmac(HEAD + "[B@1b6d3586"));
        request("Arrays.toString of the body", "body_wrapped", hmac(HEAD + Arrays.toString(BODY)));
        request("HMAC twice", "signature_algorithm", hmac(digest));
        request("doFinal after update of the head only", "body_not_signed", hmac(HEAD));
        request("hashCode of the text", "signature_mismatch", hmac(HEAD + TEXT.hashCode()));
        request("String.format with %x", "signature_format", String.format("%x", new BigInteger(1, digest)).toUpperCase(), BODY);
        request("the body twice", "message_layout", hmac(HEAD + TEXT + TEXT));
    }
}
