// Broken requests as senders in Go make them, one JSON object a line.
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

const secret = "s3cr3t-of-go"
const timestamp = "1700000000"
const nonce = "abc-123"
const head = timestamp + ":" + nonce + ":"

type event struct {
	Z int      `json:"z"`
	A string   `json:"a"`
	F float64  `json:"f"`
	L []string `json:"l"`
}

func sign(message, key string) []byte {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(message))
	return mac.Sum(nil)
}

func request(name, code, signature string, body []byte, key string) {
	line, _ := json.Marshal(map[string]any{
		"name": "Go: " + name, "codes": []string{code}, "now": 1700000002000, "secret": key,
		"headers": map[string]string{"X-Timestamp": timestamp, "X-Nonce": nonce, "X-Signature": signature},
		"body":    base64.StdEncoding.EncodeToString(body),
	})
	fmt.Println(string(line))
}

func main() {
	made := event{1, "Zoë <b>&\u2028", 1e21, []string{"x"}}
	var encoded bytes.Buffer
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	encoder.Encode(made)
	body := bytes.TrimRight(encoded.Bytes(), "\n")
	sent := func(name, code, message string) {
		request(name, code, hex.EncodeToString(sign(message, secret)), body, secret)
	}

	marshalled, _ := json.Marshal(made)
	var parsed any
	json.Unmarshal(marshalled, &parsed)
	asMap, _ := json.Marshal(parsed)
	indentedMap, _ := json.MarshalIndent(parsed, "", "  ")
	tabs, _ := json.MarshalIndent(made, "", "\t")
	sent("Encoder", "body_newline", head+encoded.String())
	sent("Marshal", "body_json", head+string(marshalled))
	sent("Marshal of a map", "body_json", head+string(asMap))
	sent("MarshalIndent of a map", "body_json", head+string(indentedMap))
	sent("MarshalIndent with tabs", "body_json", head+string(tabs))
	sent("RFC3339", "message_timestamp", time.Unix(1700000000, 0).UTC().Format(time.RFC3339)+":"+nonce+":"+string(body))
	sent("String of a time", "message_timestamp", time.Unix(1700000000, 0).UTC().String()+":"+nonce+":"+string(body))
	sent("string of an integer", "message_timestamp", string(rune(1700000000))+":"+nonce+":"+string(body))

	printed := fmt.Sprintf("%s%v", head, map[string]any{"a": 1, "b": "x"})
	request("%v of a map", "body_json", hex.EncodeToString(sign(printed, secret)), []byte(`{"b":"x","a":1}`), secret)
	listed := fmt.Sprintf("%s%v", head, []byte("{\"a\""))
	request("%v of bytes", "body_wrapped", hex.EncodeToString(sign(listed, secret)), []byte("{\"a\""), secret)
	quoted := fmt.Sprintf("%s%q", head, `{"a":1}`)
	request("%q", "body_wrapped", hex.EncodeToString(sign(quoted, secret)), []byte(`{"a":1}`), secret)

	marshalledBytes, _ := json.Marshal(body)
	request("Marshal of bytes sent", "body_wrapped", hex.EncodeToString(sign(head+string(body), secret)), marshalledBytes, secret)
	request("Marshal of bytes signed", "body_wrapped", hex.EncodeToString(sign(head+string(marshalledBytes), secret)), body, secret)

	digest := sign(head+string(body), secret)
	request("base64url", "signature_format", base64.URLEncoding.EncodeToString(digest), body, secret)
	request("% x", "signature_format", fmt.Sprintf("% x", digest), body, secret)
	request("%v of the digest", "signature_format", fmt.Sprintf("%v", digest), body, secret)
	misused := hmac.New(sha256.New, []byte(secret)).Sum([]byte(head + string(body)))
	request("Sum of the message", "message_layout", hex.EncodeToString(misused), body, secret)
	never := hmac.New(sha256.New, []byte(secret)).Sum(nil)
	request("Sum without Write", "message_layout", hex.EncodeToString(never), body, secret)
	mac := hmac.New(sha512.New, []byte(secret))
	mac.Write([]byte(head + string(body)))
	request("SHA-512", "signature_algorithm", hex.EncodeToString(mac.Sum(nil)), body, secret)
	plain := sha256.Sum256(append([]byte(secret), body...))
	request("Sum256", "signature_algorithm", hex.EncodeToString(plain[:]), body, secret)
	key, _ := hex.DecodeString("deadbeef01020304")
	decoded := sign(head+string(body), string(key))
	request("hex-decoded key", "secret_encoding", hex.EncodeToString(decoded), body, "deadbeef01020304")

	// Newer mistakes.
	sent("UnixMilli signed", "message_timestamp", "1700000000128:"+nonce+":"+string(body))
	sent("%v of a struct", "body_json", head+fmt.Sprint(made))
	sent("%+v of a struct", "body_json", head+fmt.Sprintf("%+v", made))
	sent("the message twice, without Reset", "message_layout", head+string(body)+head+string(body))
	sent("%s of a missing argument", "signature_mismatch", fmt.Sprintf("%s:%s:", timestamp, nonce)+"%!s(MISSING)")
	sent("%d of the body", "body_wrapped", head+fmt.Sprintf("%d", body))
	sent("%x of the body", "body_wrapped", head+fmt.Sprintf("%x", body))
	sent("the timestamp as 8 bytes", "signature_mismatch", "\x00\x00\x00\x00\x65\x53\xf1\x00:"+nonce+":"+string(body))
	digested := sign(string(sign(head+string(body), secret)), secret)
	request("HMAC of the HMAC", "signature_algorithm", hex.EncodeToString(digested), body, secret)
	request("the secret's last byte cut", "secret_changed", hex.EncodeToString(sign(head+string(body), secret[:len(secret)-1])), body, secret)
	request("base64 of the key, cut", "secret_encoding", hex.EncodeToString(sign(head+string(body), base64.RawStdEncoding.EncodeToString([]byte(secret)))), body, secret)
	indented, _ := json.MarshalIndent(made, "", "  ")
	request("MarshalIndent, base64url without padding", "body_json", base64.RawURLEncoding.EncodeToString(sign(head+string(indented), secret)), body, secret)
}
