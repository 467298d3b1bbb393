// # Send from C# (.NET)
//
// Save this as `Program.cs` of a console project. It needs .NET 5.
//
// - Do not use `PostAsJsonAsync`, which serializes again. Use `JsonSerializer.SerializeToUtf8Bytes` once and send a `ByteArrayContent`.
// - The program was tested with Mono, not with .NET, so it checks four [test vectors](index.md#test-vectors) at each start.

// dotnet run -- URL FILE, with the secret in WEBHOOK_SECRET.
using System;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Security.Cryptography;
using System.Text;
using System.Threading.Tasks;

static class Send
{
    // From vectors.json: secret, timestamp, nonce, body in base64, signature. If one is wrong, nothing is sent.
    static readonly string[][] Vectors =
    {
        new[] { "schl\u00fcssel", "1700000000", "6f9619ff-8b86-4d01-b42d-00cf4fc964ff", "eyJpZCI6ImV2dF8xIiwiZXZlbnQiOiJpbnZvaWNlLnBhaWQiLCJhbW91bnQiOjEyLjUwfQ==", "04f5328f0020545f056c59c8cddaa7b393ab720505e736348d0708ae4ff6d25f" },
        new[] { "the signing secret of webhook 42", "1700000000", "6f9619ff-8b86-4d01-b42d-00cf4fc964ff", "wyj//u2ggA==", "1a38eb3d390389f6d9cf9a1edad0e7d60bd53ca147bcf0a7b81f3aa86b450b95" },
        new[] { "the signing secret of webhook 42", "1700000000", "6f9619ff-8b86-4d01-b42d-00cf4fc964ff", "", "be3c5c8a37134a71a904546e5ce1b6d3699b3290f72b39829916ff2638b101d2" },
        new[] { "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", "1700000000", "6f9619ff-8b86-4d01-b42d-00cf4fc964ff", "eyJpZCI6ImV2dF8xIiwiZXZlbnQiOiJpbnZvaWNlLnBhaWQiLCJhbW91bnQiOjEyLjUwfQ==", "f21b639ab172fc2715310a726767b53821eb21e3e85e512b3daf67460f5d9eb8" },
    };

    static string Signature(string secret, string timestamp, string nonce, byte[] body)
    {
        using (var hmac = new HMACSHA256(Encoding.UTF8.GetBytes(secret)))
        {
            var message = Encoding.ASCII.GetBytes(timestamp + ":" + nonce + ":").Concat(body).ToArray();
            return BitConverter.ToString(hmac.ComputeHash(message)).Replace("-", "").ToLowerInvariant();
        }
    }

    static HttpRequestMessage Signed(string url, string secret, byte[] body)
    {
        var timestamp = DateTimeOffset.UtcNow.ToUnixTimeSeconds().ToString();
        var nonce = Guid.NewGuid().ToString();
        var request = new HttpRequestMessage(HttpMethod.Post, url) { Content = new ByteArrayContent(body) };
        request.Content.Headers.Add("Content-Type", "application/json");
        request.Headers.Add("X-Timestamp", timestamp);
        request.Headers.Add("X-Nonce", nonce);
        request.Headers.Add("X-Signature", Signature(secret, timestamp, nonce, body));
        return request;
    }

    static int Main(string[] args)
    {
        return Run(args).GetAwaiter().GetResult();
    }

    static async Task<int> Run(string[] args)
    {
        foreach (var vector in Vectors)
        {
            var signature = Signature(vector[0], vector[1], vector[2], Convert.FromBase64String(vector[3]));
            if (signature != vector[4]) throw new CryptographicException("another signature than " + vector[4]);
        }
        var secret = Environment.GetEnvironmentVariable("WEBHOOK_SECRET");
        if (args.Length != 2 || string.IsNullOrEmpty(secret))
        {
            Console.Error.WriteLine("usage: dotnet run -- URL FILE, with WEBHOOK_SECRET set");
            return 1;
        }
        var body = File.ReadAllBytes(args[1]);
        var handler = new HttpClientHandler { AllowAutoRedirect = false };
        var client = new HttpClient(handler) { Timeout = TimeSpan.FromSeconds(10) };

        var random = new Random();
        foreach (var wait in new[] { 0, 1, 2, 4 })
        {
            await Task.Delay(wait * 1000 + random.Next(wait * 500 + 1)); // up to 50 % longer, so that senders do not retry together
            try
            {
                var request = Signed(args[0], secret, body); // new for each attempt
                var status = (int)(await client.SendAsync(request)).StatusCode;
                Console.Error.WriteLine("response " + status);
                if (status != 429 && status < 500) return status >= 200 && status < 300 ? 0 : 1;
            }
            catch (Exception error) when (error is HttpRequestException || error is TaskCanceledException)
            {
                Console.Error.WriteLine("no response: " + error.Message);
            }
        }
        return 1;
    }
}
