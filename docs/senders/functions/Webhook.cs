// # Send from C#
//
// With `HttpClient`:
//
// - Do not use `PostAsJsonAsync`, which serializes again. Use `JsonSerializer.SerializeToUtf8Bytes` once, and send a `ByteArrayContent`.
// - Save the program as `Program.cs` of a console project. The tests run it with Mono, not with .NET. So it signs four [test
//   vectors](index.md#test-vectors) at each start, and sends nothing if a signature is wrong.

using System;
using System.Net.Http;
using System.Security.Cryptography;
using System.Text;
using System.Threading.Tasks;

public static class Webhook
{
    static readonly HttpClient Client = new HttpClient(new HttpClientHandler { AllowAutoRedirect = false })
    {
        Timeout = TimeSpan.FromSeconds(10),
    };

    /// <summary>Sends JSON once, and returns the status of the answer. Serialize the event once: the same text is signed and sent.</summary>
    public static async Task<int> Send(string url, string json, string secret)
    {
        var timestamp = DateTimeOffset.UtcNow.ToUnixTimeSeconds().ToString();
        var nonce = Guid.NewGuid().ToString();
        using (var hmac = new HMACSHA256(Encoding.UTF8.GetBytes(secret)))
        using (var request = new HttpRequestMessage(HttpMethod.Post, url))
        {
            var signature = hmac.ComputeHash(Encoding.UTF8.GetBytes(timestamp + ":" + nonce + ":" + json));
            request.Content = new StringContent(json, Encoding.UTF8, "application/json");
            request.Headers.Add("X-Timestamp", timestamp);
            request.Headers.Add("X-Nonce", nonce);
            request.Headers.Add("X-Signature", BitConverter.ToString(signature).Replace("-", "").ToLowerInvariant());
            using (var answer = await Client.SendAsync(request)) return (int)answer.StatusCode;
        }
    }
}
