import type { Language } from './finding.js'

/** The fix for a finding. */
export interface Fix {
  /** The fix, if the sender may have to act. */
  readonly sender?: string
  /** The fix, if the receiver may have to act. */
  readonly receiver?: string
  /** The line to change, by language. */
  readonly lines?: { readonly [language in Language]?: string }
}

const SAME_BYTES = 'Sign the same bytes that you send'
const RAW_BYTES =
  'Call receive(…), or pass the raw bytes as received, before anything parses, decodes, trims or inflates them (Express: before express.json()).'
const RAW_EVENT = `${RAW_BYTES} In AWS Lambda, pass the event to receive(…). In queues, pass the body, decoded if it is base64.`
const WRITE_ONCE = {
  node: 'const body = JSON.stringify(event); sign body and send the same body',
  python:
    "body = json.dumps(event).encode(); sign f'{timestamp}:{nonce}:'.encode() + body; send requests.post(url, data=body, headers=headers), not json=event",
  go: 'body, err := json.Marshal(event); sign body and send bytes.NewReader(body)',
  ruby: 'body = JSON.generate(event); sign body and send Net::HTTP.post(uri, body, headers)',
  php: '$body = json_encode($event); sign $body and send CURLOPT_POSTFIELDS => $body',
  java: 'byte[] body = mapper.writeValueAsBytes(event); sign body and send BodyPublishers.ofByteArray(body)',
  csharp:
    'var body = JsonSerializer.SerializeToUtf8Bytes(event); sign body and send new ByteArrayContent(body), not PostAsJsonAsync',
  perl: 'my $body = encode_json($event); sign $body and send it as the content of the request',
  shell: 'jq -c . event.json > body.json; sign body.json and send it with curl --data-binary @body.json',
}
const UNIX_SECONDS = {
  node: 'String(Math.floor(Date.now() / 1000))',
  python: 'str(int(time.time()))',
  go: 'strconv.FormatInt(time.Now().Unix(), 10)',
  ruby: 'Time.now.to_i.to_s',
  php: '(string) time()',
  java: 'Long.toString(Instant.now().getEpochSecond())',
  csharp: 'DateTimeOffset.UtcNow.ToUnixTimeSeconds().ToString()',
  perl: 'time',
  shell: 'date +%s',
}
const NEW_NONCE = {
  node: 'crypto.randomUUID()',
  python: 'str(uuid.uuid4())',
  go: 'hex.EncodeToString(random), after rand.Read(random)',
  ruby: 'SecureRandom.uuid',
  php: 'bin2hex(random_bytes(16))',
  java: 'UUID.randomUUID().toString()',
  csharp: 'Guid.NewGuid().ToString()',
  shell: 'openssl rand -hex 16',
}
const HMAC = {
  node: "createHmac('sha256', secret).update(message).digest('hex')",
  python: 'hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()',
  go: 'mac := hmac.New(sha256.New, []byte(secret)); mac.Write(message); hex.EncodeToString(mac.Sum(nil))',
  ruby: "OpenSSL::HMAC.hexdigest('SHA256', secret, message)",
  php: "hash_hmac('sha256', $message, $secret)",
  java: 'Mac.getInstance("HmacSHA256"), then HexFormat.of().formatHex(mac.doFinal(message))',
  csharp: 'Convert.ToHexString(HMACSHA256.HashData(Encoding.UTF8.GetBytes(secret), message)).ToLowerInvariant()',
  perl: 'hmac_sha256_hex($message, $secret)',
  // `openssl dgst -hmac` gets the secret as an argument, which every process can read. `hmac` of send.sh needs only openssl.
  shell: 'printf %s:%s: "$TIMESTAMP" "$NONCE" | cat - body.json | hmac, with the function hmac of the shell guide',
}
const HASH_OF_SECRET = {
  node: "createHash('sha256').update(secret).digest('hex')",
  python: 'hashlib.sha256(secret.encode()).hexdigest()',
  go: 'fmt.Printf("%x", sha256.Sum256([]byte(secret)))',
  ruby: 'Digest::SHA256.hexdigest(secret)',
  php: "hash('sha256', $secret)",
  java: 'HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(secret.getBytes(UTF_8)))',
  csharp: 'Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(secret)))',
  perl: 'sha256_hex($secret)',
  shell: 'printf %s "$WEBHOOK_SECRET" | openssl dgst -sha256',
}
/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: code that is shown to the reader. */
/** One variable per header, so that the value that is signed is also sent. */
const ONE_VARIABLE = {
  node: "hmac.update(`${timestamp}:${nonce}:`).update(body); headers: { 'X-Timestamp': timestamp, 'X-Nonce': nonce, … }",
  python: "f'{timestamp}:{nonce}:'.encode() + body; headers = {'X-Timestamp': timestamp, 'X-Nonce': nonce, …}",
  go: 'fmt.Fprintf(mac, "%s:%s:", timestamp, nonce); request.Header.Set("X-Timestamp", timestamp), the same for X-Nonce',
  ruby: `"#{timestamp}:#{nonce}:".b + body; headers = { 'X-Timestamp' => timestamp, 'X-Nonce' => nonce, … }`,
  php: '"$timestamp:$nonce:$body"; CURLOPT_HTTPHEADER => ["X-Timestamp: $timestamp", "X-Nonce: $nonce", …]',
  java: '(timestamp + ":" + nonce + ":").getBytes(UTF_8); .header("X-Timestamp", timestamp).header("X-Nonce", nonce)',
  csharp:
    'Encoding.UTF8.GetBytes(timestamp + ":" + nonce + ":"); headers.Add("X-Timestamp", timestamp), the same for X-Nonce',
  perl: `"$timestamp:$nonce:$body"; $request->header('X-Timestamp' => $timestamp, 'X-Nonce' => $nonce)`,
  shell: 'printf %s:%s: "$TIMESTAMP" "$NONCE"; curl -H "X-Timestamp: $TIMESTAMP" -H "X-Nonce: $NONCE" …',
}

const UNQUOTE = 'Remove the quotes from the configuration. docker run --env-file and kubectl --from-env-file keep them.'
const PARSE_SECRET = 'Parse the JSON of your secrets manager, and use the value of the secret.'
const CLOCKS = {
  receiver: 'Compare your clock with a third one. To diagnose an old request, pass the time at which it arrived.',
  lines: { shell: 'date -u +%s; timedatectl set-ntp true' },
}

const MESSAGE = {
  node: 'hmac.update(`${timestamp}:${nonce}:`).update(body)',
  python: "f'{timestamp}:{nonce}:'.encode() + body",
  go: 'fmt.Fprintf(mac, "%s:%s:", timestamp, nonce), then mac.Write(body)',
  ruby: 'message = "#{timestamp}:#{nonce}:".b + body',
  php: '$message = "$timestamp:$nonce:$body"',
  java: 'mac.update((timestamp + ":" + nonce + ":").getBytes(UTF_8)), then mac.doFinal(body)',
  csharp: 'Encoding.UTF8.GetBytes(timestamp + ":" + nonce + ":").Concat(body).ToArray()',
  perl: '$message = "$timestamp:$nonce:$body"',
  shell: 'printf "%s:%s:" "$TIMESTAMP" "$NONCE" | cat - body.json',
}
/** Every fix, by its id. */
export const FIXES = {
  replace_secret: {
    sender: 'Never send the secret, only X-Signature. Then use the new secret.',
    receiver: 'Give the sender a new secret (npx inbound-webhook-tools secret), and remove the old one.',
  },
  trim_secret: {
    sender: 'Remove white space from the secret where you read it.',
    receiver: 'Store the secret without white space and invisible characters.',
    lines: {
      node: 'secret.trim()',
      python: 'secret.strip()',
      go: 'strings.TrimSpace(secret)',
      ruby: 'secret.strip',
      php: 'trim($secret)',
      java: 'secret.strip()',
      csharp: 'secret.Trim()',
      perl: '$secret =~ s/^\\s+|\\s+$//g',
      shell: `WEBHOOK_SECRET=$(tr -d '\\r\\n' < secret.txt)`,
    },
  },
  unquote_secret: {
    sender: UNQUOTE,
    receiver: UNQUOTE,
    lines: { python: 'secret.encode(), not str(secret_bytes)', shell: 'WEBHOOK_SECRET=…, not WEBHOOK_SECRET="…"' },
  },
  whole_secret: { sender: 'Use the whole secret as text, including its prefix.' },
  own_prefix: {
    sender: 'Use the secret alone as the key, with nothing before it.',
    receiver: 'Use the whole secret as text, including its prefix.',
  },
  secret_as_text: {
    sender: 'Use the text of the secret as the key, in UTF-8. Do not decode, encode or hash it in any other way.',
    lines: { ...HMAC, shell: '"$WEBHOOK_SECRET" itself, not base64 -d, xxd or sha256sum of it' },
  },
  same_secret_text: {
    sender: 'Use the text that the receiver has. The data of a Kubernetes Secret shows the base64 of it.',
    receiver:
      'Store the text that the sender has, not its base64 or hex. kubectl get secret -o yaml shows the base64 of each value, so decode it.',
    lines: { ...HMAC, shell: 'kubectl get secret NAME -o jsonpath={.data.WEBHOOK_SECRET} | base64 -d' },
  },
  store_secret: {
    receiver:
      'Store the secret itself, encrypted if you like. HMAC needs it, so a hash of it cannot verify a signature.',
  },
  unchanged_secret: {
    sender:
      'Compare the SHA-256 of the secret on both sides. A shell, a .env file, a URL or a form may have changed it.',
    receiver: 'Compare the SHA-256 of the secret on both sides. Quote the secret where it is set.',
    lines: HASH_OF_SECRET,
  },
  value_of_secret: {
    sender: PARSE_SECRET,
    receiver: PARSE_SECRET,
    lines: {
      node: 'JSON.parse(text).WEBHOOK_SECRET',
      python: "json.loads(text)['WEBHOOK_SECRET']",
      ruby: "JSON.parse(text)['WEBHOOK_SECRET']",
      php: "json_decode($text, true)['WEBHOOK_SECRET']",
      java: 'mapper.readTree(text).get("WEBHOOK_SECRET").asText()',
      shell: 'jq -r .WEBHOOK_SECRET',
    },
  },
  read_secret: {
    sender:
      'Use the value of the variable, not its name or a placeholder. Do not decode it. Stop with an error if it is empty.',
    receiver: 'Use the value of the variable, not its name or a placeholder.',
    lines: {
      node: 'process.env.WEBHOOK_SECRET',
      python: "os.environ['WEBHOOK_SECRET']",
      go: 'os.Getenv("WEBHOOK_SECRET")',
      ruby: "ENV.fetch('WEBHOOK_SECRET')",
      php: "getenv('WEBHOOK_SECRET')",
      java: 'System.getenv("WEBHOOK_SECRET")',
      csharp: 'Environment.GetEnvironmentVariable("WEBHOOK_SECRET")',
      perl: '$ENV{WEBHOOK_SECRET}',
      shell: '"${WEBHOOK_SECRET:?}"',
    },
  },

  sign_message: {
    sender: "Sign the timestamp, ':', the nonce, ':' and the body, in this order, with the values of the headers.",
    lines: MESSAGE,
  },
  fill_in_variables: {
    sender: "These quotes keep the names of the variables. Use double quotes, backticks or f'…'.",
    lines: MESSAGE,
  },
  feed_message: {
    sender: 'Give the message to the HMAC before you take the digest.',
    lines: {
      node: "hmac.update(message).digest('hex')",
      python: 'hmac.new(key, message, hashlib.sha256)',
      go: 'mac.Write(message), then mac.Sum(nil), not mac.Sum(message)',
      java: 'mac.doFinal(message)',
    },
  },
  timestamp_once: {
    sender:
      'Read the clock once. Put Unix time in seconds into a variable as text, sign that variable and send it unchanged.',
    lines: ONE_VARIABLE,
  },
  nonce_once: {
    sender: 'Put the text of the nonce into one variable. Sign that variable and send it unchanged.',
    lines: ONE_VARIABLE,
  },
  fill_in_value: {
    sender:
      'Fill in each value before you sign it, and send the same text. Single quotes keep the names of variables. A script of Postman gets a value from pm.variables.replaceIn.',
    lines: {
      ...ONE_VARIABLE,
      node: 'In a script of Postman: pm.variables.replaceIn(text). In JavaScript: `…${value}…`',
    },
  },
  fill_in_body: {
    sender: 'Fill in each value before you sign the body, and send the same text.',
    receiver: 'If this text belongs to the body, compare the evidence of the next finding.',
    lines: { shell: 'BODY="{\\"id\\":\\"$ID\\"}", not between single quotes' },
  },

  nonce_as_text: { sender: 'Sign the nonce as it is in the header, not the bytes that it encodes.' },

  use_hmac_sha256: { sender: 'Use HMAC-SHA256, with the secret as the key, over the message, once.', lines: HMAC },
  send_hex: {
    sender: 'Send 64 lowercase hex digits and nothing else.',
    lines: { ...HMAC, shell: 'openssl dgst -sha256 -r | cut -c 1-64 as the last step, not -binary or base64' },
  },

  same_bytes: { sender: `${SAME_BYTES}.`, receiver: RAW_BYTES },
  without_slashes: {
    sender: `${SAME_BYTES}, without addslashes.`,
    receiver: `${RAW_BYTES} WordPress adds slashes to $_POST: read php://input instead.`,
    lines: { php: "file_get_contents('php://input'), and no addslashes or wp_slash" },
  },
  serialize_once: {
    sender: `Serialize once. ${SAME_BYTES}.`,
    receiver: RAW_BYTES,
    lines: WRITE_ONCE,
  },
  same_options: {
    sender: `Serialize once, with the options that you use for sending. ${SAME_BYTES}.`,
    receiver: RAW_BYTES,
    lines: {
      csharp: 'JsonSerializer.SerializeToUtf8Bytes(event, options)',
      php: 'json_decode($body), not json_decode($body, true), which turns {} into []',
    },
  },
  encode_once: {
    sender: `Encode the text once as UTF-8. ${SAME_BYTES}.`,
    receiver: RAW_BYTES,
    lines: {
      node: "Buffer.from(text, 'utf8')",
      python: 'text.encode()',
      ruby: "text.encode('UTF-8')",
      php: "iconv('ISO-8859-1', 'UTF-8', $text) if $text is not UTF-8 yet",
      java: 'text.getBytes(UTF_8)',
      csharp: 'Encoding.UTF8.GetBytes(text)',
      shell: 'iconv -f ISO-8859-1 -t UTF-8 event.json > body.json',
    },
  },
  keep_newlines: {
    sender: `${SAME_BYTES}, with every line break.`,
    receiver: RAW_BYTES,
    lines: {
      shell: `printf %s "$BODY", not echo; curl --data-binary @body.json, not -d, which removes line breaks`,
      go: 'json.Marshal(event), not json.NewEncoder, whose Encode adds a line feed',
      python: 'pathlib.Path(file).read_bytes(), without .strip()',
      node: 'readFileSync(file), without .toString().trim()',
      ruby: 'File.binread(file), without chomp or strip',
      php: 'file_get_contents($file), without trim or PHP_EOL',
      java: 'Files.readAllBytes(file), not readLine or println',
      csharp: 'File.ReadAllBytes(file), not ReadLine or WriteLine',
      perl: 'the file with binmode, without chomp',
    },
  },
  sign_compressed: {
    sender: 'Sign after you compress, or do not compress.',
    receiver: RAW_BYTES,
    lines: {
      node: 'const body = gzipSync(json); sign body and send the same body',
    },
  },
  sign_as_sent: {
    sender: `${SAME_BYTES}, in the same encoding.`,
    receiver: RAW_EVENT,
    lines: {
      go: 'bytes.NewReader(body), because json.Marshal of bytes writes base64',
    },
  },
  write_body: {
    sender: 'Sign the bytes that you send, not the text that a language prints for bytes or an object.',
    lines: {
      node: 'hmac.update(body), not `${body}`',
      go: 'mac.Write(body), not fmt.Fprintf(mac, "%v", body)',
      python: "head.encode() + body, not f'{body}'",
      ruby: 'head.b + body, not "#{event}"',
      java: 'mac.update(body), not event.toString() or Arrays.toString(body)',
    },
  },
  no_byte_order_mark: {
    sender: `Write no byte order mark. ${SAME_BYTES}.`,
    receiver: RAW_BYTES,
    lines: {
      python: "encoding='utf-8', not 'utf-8-sig'",
      csharp: 'new UTF8Encoding(false), not Encoding.UTF8',
    },
  },
  normalize_once: {
    sender: `Normalize the text before you sign and send it, or not at all. ${SAME_BYTES}.`,
    receiver: RAW_BYTES,
  },
  one_format: {
    sender: 'Write the event in one format. Sign that text and send it.',
    receiver: RAW_BYTES,
    lines: {
      python: 'data=body with text, not a dict, which is sent as a form',
      php: 'CURLOPT_POSTFIELDS => $body with text, not an array',
      node: 'body: JSON.stringify(event), not URLSearchParams',
      shell: 'curl --data-binary @body.json',
    },
  },
  sign_envelope: {
    sender: 'Sign the whole envelope, or send the event without it.',
    receiver: RAW_EVENT,
  },
  sign_multipart: {
    sender: 'Encode the multipart body once. Sign that and send it, or send the content alone.',
    receiver: RAW_BYTES,
    lines: {
      python: "sign requests.Request('POST', url, files=files).prepare().body",
    },
  },
  sign_body_not_hash: { sender: 'Sign the body itself, not a hash of it.' },
  send_whole_json: {
    sender: `${SAME_BYTES}. Content-Length counts bytes, not characters, and a shell removes quotes.`,
    receiver: RAW_BYTES,
    lines: { node: 'Buffer.byteLength(body), not body.length' },
  },
  send_signed_text: {
    sender: 'Send the text that you signed. Many clients drop the body of an empty object.',
    receiver: RAW_BYTES,
  },
  sign_body: {
    sender: `${SAME_BYTES}. Read the whole body before you sign.`,
    receiver: RAW_BYTES,
    lines: {
      node: 'const body = JSON.stringify(event), not the object itself',
      python: 'request.body, not a stream that was read already',
    },
  },

  pass_raw_body: {
    sender: 'Send text, not an object.',
    receiver: RAW_BYTES,
    lines: { node: 'const { body } = await receive({ webhookId, request }, secret, nonceStore)' },
  },

  rename_headers: {
    sender: 'Name the headers X-Timestamp, X-Nonce and X-Signature.',
    receiver: 'Pass the values under these names. A proxy may have renamed the headers.',
  },
  send_headers: {
    sender: 'Send X-Timestamp, X-Nonce and X-Signature, with hyphens, to the final URL, because a redirect drops them.',
    receiver: 'Pass the headers themselves, because { ...headers } is empty. Make sure that proxies pass them on.',
  },
  send_header_once: {
    sender: 'Set the header once.',
    receiver: 'If a proxy adds the header too, remove it there.',
    lines: { node: 'headers.set(name, value), not append' },
  },
  unswap_headers: {
    sender: 'Send each value under its own name, and sign the timestamp before the nonce.',
  },
  send_nonce: {
    sender: 'Send 1 to 128 visible ASCII characters, for example a new UUID per attempt.',
    lines: NEW_NONCE,
  },
  send_seconds: { sender: 'Send Unix time in seconds, as decimal digits only.', lines: UNIX_SECONDS },
  sign_again_or_use_unix_time: {
    sender:
      'If it is a retry or was queued, sign each attempt again when you send it. If not, use Unix time, which has no time zone.',
    receiver: 'Compare your clock with a third one. To diagnose an old request, pass the time at which it arrived.',
    lines: {
      ...UNIX_SECONDS,
      python: 'time.time() for each attempt, not datetime.utcnow().timestamp()',
      csharp: 'DateTimeOffset.UtcNow for each attempt, not a DateTime of unspecified kind',
    },
  },
  use_unix_time: {
    sender: 'Use Unix time, which has no time zone. Do not convert a local date that has no zone.',
    receiver: 'Compare your clock with a third one.',
    lines: {
      ...UNIX_SECONDS,
      python: 'time.time(), not datetime.utcnow().timestamp()',
      csharp: 'DateTimeOffset.UtcNow, not a DateTime of unspecified kind',
    },
  },
  set_clocks: { ...CLOCKS, sender: 'Compare your clock with a third one. Set the wrong clock by NTP.' },
  know_arrival: {
    receiver: 'Pass the time of arrival: --at TIME on the command line, or the argument clock of diagnose().',
  },
  sign_when_sent: {
    ...CLOCKS,
    sender: 'Sign each attempt when you send it, not when you queue it. Compare your clock with a third one.',
  },
  compare: {
    sender: 'Compare the evidence with your own values. The first line that differs is the cause.',
    receiver:
      'If all lines are equal, the secrets differ. Compare their lengths, then set the secret again on both sides.',
    lines: HASH_OF_SECRET,
  },
} as const satisfies { readonly [id: string]: Fix }
/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: code that is shown to the reader. */

/** The id of a fix. */
export type FixId = keyof typeof FIXES
