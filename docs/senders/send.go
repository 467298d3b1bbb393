// # Send from Go
//
// Save this as `send.go`. It needs only Go 1.16.
//
// - Sign and send the result of `json.Marshal`. `json.NewEncoder` adds a newline.

// go run send.go URL FILE, with the secret in WEBHOOK_SECRET.
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"log"
	mathrand "math/rand"
	"net/http"
	"os"
	"strconv"
	"time"
)

func sign(request *http.Request, secret, body []byte) {
	timestamp := strconv.FormatInt(time.Now().Unix(), 10)
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		log.Fatal(err)
	}
	nonce := hex.EncodeToString(random)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(timestamp + ":" + nonce + ":"))
	mac.Write(body)
	request.Header.Set("X-Timestamp", timestamp)
	request.Header.Set("X-Nonce", nonce)
	request.Header.Set("X-Signature", hex.EncodeToString(mac.Sum(nil)))
}

func main() {
	secret := []byte(os.Getenv("WEBHOOK_SECRET"))
	if len(os.Args) != 3 || len(secret) == 0 {
		log.Fatal("usage: go run send.go URL FILE, with WEBHOOK_SECRET set")
	}
	body, err := os.ReadFile(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	client := http.Client{
		Timeout:       10 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}

	jitter := mathrand.New(mathrand.NewSource(time.Now().UnixNano()))
	for _, wait := range []time.Duration{0, 1, 2, 4} {
		time.Sleep(wait * (time.Second + time.Duration(jitter.Intn(500))*time.Millisecond)) // so that senders do not retry together
		request, err := http.NewRequest("POST", os.Args[1], bytes.NewReader(body))
		if err != nil {
			log.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		sign(request, secret, body) // new for each attempt
		response, err := client.Do(request)
		if err != nil {
			log.Print("no response: ", err)
			continue
		}
		response.Body.Close()
		log.Print("response ", response.StatusCode)
		if response.StatusCode/100 == 2 {
			return
		}
		if response.StatusCode != 429 && response.StatusCode < 500 {
			break
		}
	}
	os.Exit(1)
}
