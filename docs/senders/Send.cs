// dotnet run -- URL FILE, with the secret in WEBHOOK_SECRET. .NET 5 or later, .NET Framework 4.7.1 or later.
using System;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Security.Cryptography;
using System.Text;
using System.Threading.Tasks;

static class Send
{
    // Secret, timestamp, nonce, body in base64, signature: what Signature must give, or nothing is sent.
    static readonly string[][] Vectors =
    {
        new[] { "the signing secret of webhook 42", "1700000000", "6f9619ff-8b86-4d01-b42d-00cf4fc964ff", "eyJpZCI6ImV2dF8xIiwiZXZlbnQiOiJpbnZvaWNlLnBhaWQifQ==", "dfcd2a030c8a2436eae5ebca24ceef0a238ea72754a613e6a2785773c92904dd" },
        new[] { "schl\u00fcssel \U0001f511", "1700000000", "a:b", "wyj//gANCg==", "aba0a41064f242d19757791d49356a25a93b3c27ebc62d805c3552e60de1e170" },
        new[] { "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", "0001700000000", "!~", "", "084b4b66944fea137e96b1b99aaecb9bfe63a542e5dda57fe7269b657ef04055" },
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

    static async Task<int> Main(string[] args)
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

        foreach (var wait in new[] { 0, 1, 2, 4 })
        {
            await Task.Delay(wait * 1000);
            try
            {
                var request = Signed(args[0], secret, body); // anew for each attempt
                var status = (int)(await client.SendAsync(request)).StatusCode;
                Console.Error.WriteLine("answer " + status);
                if (status < 500) return status >= 200 && status < 300 ? 0 : 1;
            }
            catch (Exception error) when (error is HttpRequestException || error is TaskCanceledException)
            {
                Console.Error.WriteLine("no answer: " + error.Message);
            }
        }
        return 1;
    }
}
