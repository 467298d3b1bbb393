// # Send from Go
//
// With `net/http`:
//
// - Sign and send the result of `json.Marshal`, because `json.NewEncoder` adds a line feed.

package webhook

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

var client = http.Client{
	Timeout:       10 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Send sends an event once, and returns the status of the answer.
func Send(url string, event any, secret string) (int, error) {
	body, err := json.Marshal(event) // serialized once: these bytes are signed, and these bytes are sent
	if err != nil {
		return 0, err
	}
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return 0, err
	}
	timestamp, nonce := strconv.FormatInt(time.Now().Unix(), 10), hex.EncodeToString(random)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + ":" + nonce + ":" + string(body)))
	request, err := http.NewRequest("POST", url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Timestamp", timestamp)
	request.Header.Set("X-Nonce", nonce)
	request.Header.Set("X-Signature", hex.EncodeToString(mac.Sum(nil)))
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	return response.StatusCode, nil
}
