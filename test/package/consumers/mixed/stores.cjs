const { MemoryNonceStore } = require('inbound-webhook-auth')
const { RedisNonceStore } = require('inbound-webhook-auth/redis')

exports.full = () => {
  const nonceStore = new MemoryNonceStore({ maxEntries: 1 })
  nonceStore.reserve('42', 'another', 600)
  return nonceStore
}

exports.unreachable = () =>
  new RedisNonceStore({
    sendCommand: async () => {
      throw new Error('connection refused')
    },
  })

exports.misconfigured = () => {
  try {
    return new RedisNonceStore(JSON.parse('{}'))
  } catch (error) {
    return Object(error).code
  }
}
