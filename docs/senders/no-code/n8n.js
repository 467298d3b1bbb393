const { createHmac, randomUUID } = require('crypto')

const secret = 'paste the secret here'
return $input.all().map(({ json }) => {
  const body = JSON.stringify(json)
  const timestamp = String(Math.floor(Date.now() / 1000))
  const nonce = randomUUID()
  const signature = createHmac('sha256', secret).update(`${timestamp}:${nonce}:${body}`).digest('hex')
  return { json: { body, timestamp, nonce, signature } }
})
