import { utf8 } from '../bytes.js'
import { signatureOf } from './check.js'

export const TEST_SECRET = 'Z3Vlc3MtbWUtaS1hbS1hLXB1YmxpYy10ZXN0LWtleSE'

const TIMESTAMP = '1700000000'
/** The example arrives two seconds after the sender signed it. */
export const EXAMPLE_ARRIVAL = '1700000002'
const NONCE = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'
const SENT = '{"event":"invoice.paid","amount":12.50,"customer":"Zoë"}'
const SIGNED = '{"event": "invoice.paid", "amount": 12.5, "customer": "Zo\\u00eb"}'

/** Returns a request in which the sender signed the JSON of Python, but sent the JSON of another serializer. */
export const exampleCapture = () => `POST /hooks/42 HTTP/1.1
Host: example.com
Content-Type: application/json
X-Timestamp: ${TIMESTAMP}
X-Nonce: ${NONCE}
X-Signature: ${signatureOf({ timestamp: TIMESTAMP, nonce: NONCE }, utf8(SIGNED), TEST_SECRET)}
Content-Length: ${utf8(SENT).length}

${SENT}`
