import type { Language } from './finding.js'

export interface Fix {
  readonly sender?: string
  readonly receiver?: string
  readonly lines?: { readonly [language in Language]?: string }
}

const SAME_BYTES = 'Sign the same bytes that you send'
const RAW_BYTES =
  'Call receive(…), or pass the raw bytes as received, before anything parses, decodes, trims or decompresses them (Express: before express.json()).'
const RAW_EVENT = `${RAW_BYTES} In AWS Lambda, pass the event to receive(…). For a queue message, decode base64 first and pass the body.`
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
/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: code that is shown to the reader. */
const UNQUOTE = 'Remove the quotes from the configuration. docker run --env-file and kubectl --from-env-file keep them.'
const PARSE_SECRET = 'Parse the JSON from your secrets manager and use the value of the secret.'
const COMPARE_CLOCKS =
  'Compare your clock with a time server. To diagnose an old request, pass the time at which it arrived.'

export const FIXES = {
  replace_secret: {
    sender: 'Never send the secret. Send only X-Signature and switch to the new secret.',
    receiver: 'Give the sender a new secret (npx -y inbound-webhook-tools secret) and remove the old one.',
  },
  trim_secret: {
    sender: 'Remove white space from the secret where you read it.',
    receiver: 'Store the secret without white space and invisible characters.',
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
  value_alone: { receiver: "Store only the value, without the variable's name and `=`." },
  secret_as_text: {
    sender: 'Use the text of the secret as the key, in UTF-8. Do not decode, encode or hash the secret.',
    lines: { shell: '"$WEBHOOK_SECRET" unchanged, without base64 -d, xxd or sha256sum' },
  },
  same_secret_text: {
    sender:
      'Use the same text as the receiver, not its base64 or hex. A Kubernetes Secret shows the base64 of the text.',
    receiver:
      'Store the text that the sender has, not its base64 or hex. kubectl get secret -o yaml shows each value in base64, so decode the value.',
    lines: { shell: 'kubectl get secret NAME -o jsonpath={.data.WEBHOOK_SECRET} | base64 -d' },
  },
  store_secret: {
    receiver:
      'Store the secret itself, encrypted if you like. HMAC needs the secret, so a hash of it cannot verify a signature.',
  },
  unchanged_secret: {
    sender:
      'Compare the SHA-256 of the secret on both sides. A shell, a .env file, a URL or a form may have changed the secret.',
    receiver: 'Compare the SHA-256 of the secret on both sides. Quote the secret where it is set.',
  },
  value_of_secret: { sender: PARSE_SECRET, receiver: PARSE_SECRET },
  read_secret: {
    sender:
      'Use the value of the variable, not its name or a placeholder. Do not decode the value. Stop with an error if the value is empty.',
    receiver: 'Use the value of the variable, not its name or a placeholder.',
  },

  sign_message: {
    sender: "Sign the timestamp, ':', the nonce, ':' and the body, in this order, with the values of the headers.",
  },
  fill_in_variables: {
    sender: "Your quotes do not expand variables. Use double quotes, backticks or f'…'.",
  },
  feed_message: { sender: 'Pass the message to the HMAC before you compute the digest.' },
  values_once: {
    sender:
      'Read the clock once and generate the nonce once. Store each as text in a variable, then sign and send that text.',
  },
  fill_in_value: {
    sender:
      'Fill in each value before you sign it, and send the same text. A shell does not expand variables in single quotes. In a Postman script, use pm.variables.replaceIn.',
    lines: { node: 'In a Postman script: pm.variables.replaceIn(text). In JavaScript: `…${value}…`' },
  },
  nonce_as_text: { sender: 'Sign the nonce as it is in the header, not the bytes that it encodes.' },

  use_hmac_sha256: { sender: 'Compute HMAC-SHA256 once, with the secret as the key, over the message.' },
  send_hex: {
    sender: 'Send 64 lowercase hex digits and nothing else.',
    lines: { shell: 'openssl dgst -sha256 -r | cut -c 1-64 as the last step, without -binary and base64' },
  },

  whole_value: {
    sender: 'Send the whole value as it was signed, or as the HMAC returned it, without white space inside.',
    receiver: 'A log, an email or a screenshot may have cut or changed the header. Record the request with listen.',
  },

  same_bytes: { sender: `${SAME_BYTES}.`, receiver: RAW_BYTES },
  pass_as_data: {
    sender: `${SAME_BYTES}. Pass the body as data, not as a format, a template or a part of a command.`,
    lines: {
      node: "message.replace('{body}', () => body), because $$ and $& are special in a text",
      python: "f'{timestamp}:{nonce}:'.encode() + body, without % and format",
      go: 'mac.Write(body), not fmt.Fprintf(mac, string(body))',
      shell: 'printf %s "$BODY", not printf "$BODY" or echo -e; IFS= read -r BODY',
    },
  },
  without_slashes: {
    sender: `${SAME_BYTES}, and escape nothing after that.`,
    receiver: `${RAW_BYTES} WordPress adds slashes to $_POST: read php://input instead.`,
    lines: { php: "file_get_contents('php://input'), and no addslashes or wp_slash" },
  },
  serialize_once: { sender: `Serialize once. ${SAME_BYTES}.`, receiver: RAW_BYTES, lines: WRITE_ONCE },
  same_options: {
    sender: `Serialize once, with the options that you use for sending. ${SAME_BYTES}.`,
    receiver: RAW_BYTES,
    lines: {
      csharp: 'JsonSerializer.SerializeToUtf8Bytes(event, options)',
      php: 'json_decode($body), not json_decode($body, true), which turns {} into []',
    },
  },
  encode_once: {
    sender: `Encode the text once as UTF-8. Normalize the text only before that. ${SAME_BYTES}.`,
    receiver: RAW_BYTES,
  },
  keep_newlines: {
    sender: `${SAME_BYTES}, with every newline.`,
    receiver: RAW_BYTES,
    lines: {
      shell: `printf %s "$BODY", not echo; curl --data-binary @body.json, not -d, which removes newlines`,
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
  sign_compressed: { sender: 'If you compress the body, compress it before you sign it.', receiver: RAW_BYTES },
  sign_as_sent: {
    sender: `${SAME_BYTES}, in the same encoding.`,
    receiver: RAW_EVENT,
    lines: { go: 'bytes.NewReader(body), because json.Marshal of bytes writes base64' },
  },
  write_body: {
    sender:
      "Sign the bytes that you send, not a printed form, such as b'…' in Python, [123 34] in Go or [object Object] in JavaScript.",
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
    lines: { python: "encoding='utf-8', not 'utf-8-sig'", csharp: 'new UTF8Encoding(false), not Encoding.UTF8' },
  },
  sign_envelope: {
    sender: 'If you send an envelope, sign the whole envelope. If you sign only the event, send only the event.',
    receiver: RAW_EVENT,
  },
  sign_multipart: {
    sender: `Encode the multipart body once. ${SAME_BYTES}. If you sign only the content, send only the content.`,
    receiver: RAW_BYTES,
    lines: { python: "sign requests.Request('POST', url, files=files).prepare().body" },
  },
  sign_body_not_hash: { sender: 'Sign the body itself, not a hash of the body.' },
  send_whole_json: {
    sender: `${SAME_BYTES}. Content-Length counts bytes, not characters, and a shell removes quotes.`,
    receiver: RAW_BYTES,
    lines: { node: 'Buffer.byteLength(body), not body.length' },
  },
  send_body: {
    sender: 'Send a POST with its body to the final URL, because a redirect can drop the body.',
    receiver: RAW_BYTES,
  },
  sign_body: {
    sender: `${SAME_BYTES}. Read the whole body before you sign. Many clients send no body for an empty object.`,
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
    sender:
      'Send X-Timestamp, X-Nonce and X-Signature, with hyphens, to the final URL, because a redirect can drop them.',
    receiver:
      'Pass the headers object itself, because a { ...headers } copy can be empty. Make sure that proxies forward all three headers.',
  },
  send_header_once: {
    sender: 'Set the header once.',
    receiver: 'If a proxy also adds the header, configure the proxy not to.',
    lines: { node: 'headers.set(name, value), not append' },
  },
  unswap_headers: { sender: 'Send each value under its own name and sign the timestamp before the nonce.' },
  send_nonce: { sender: 'Send 1 to 128 visible ASCII characters, for example a new UUID per attempt.' },
  send_seconds: { sender: 'Send Unix time in seconds, as decimal digits only.' },
  know_arrival: {
    receiver: 'Pass the time of arrival: --at TIME on the command line, or the clock argument of diagnose().',
  },
  set_clocks: {
    sender: 'Compare your clock with a time server, and correct it with NTP.',
    receiver: COMPARE_CLOCKS,
    lines: { shell: 'date -u +%s; timedatectl set-ntp true' },
  },
  sign_when_sent: {
    sender:
      'Sign each attempt when you send it, not when you queue it, with Unix time, which has no time zone. Compare your clock with a time server.',
    receiver: COMPARE_CLOCKS,
    lines: {
      python: 'time.time() for each attempt, not datetime.utcnow().timestamp()',
      csharp: 'DateTimeOffset.UtcNow for each attempt, not a DateTime of unspecified kind',
      shell: 'date -u +%s; timedatectl set-ntp true',
    },
  },
  match_key: {
    receiver:
      "For v1a signatures, pass the sender's public key (whpk_…). For v1 signatures, pass the secret of the webhook (whsec_…).",
  },
  compare: {
    sender: "If the hash from openssl differs from the receiver's hash, sign the bytes that you send.",
    receiver: 'If both hashes are equal, the secrets differ. Set the secret again on both sides.',
  },
} as const satisfies { readonly [id: string]: Fix }
/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: code that is shown to the reader. */

export type FixId = keyof typeof FIXES
