// Prints how long a request may take to arrive at each server that starts.
import { Server } from 'node:http'

const { listen } = Server.prototype
Server.prototype.listen = function (/** @type {unknown[]} */ ...args) {
  this.once('listening', () => console.log(`requestTimeout ${this.requestTimeout}`))
  return Reflect.apply(listen, this, args)
}
