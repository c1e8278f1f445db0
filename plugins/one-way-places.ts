import fp from 'fastify-plugin'
import { wantsAnswer } from '../src/protocol/envelope.ts'
import type {} from './envelope.ts'
import { sendFull } from './places.ts'

/**
 * Keeps the places for messages that want no answer free of those that want one: such a message
 * moves to a place of the others, or is turned away where those are taken.
 */
export default fp(async function oneWayPlaces (fastify) {
  fastify.addHook('preHandler', (request, reply, done) => {
    const { incoming } = request
    if (incoming === null || !wantsAnswer(incoming) || fastify.places.hasRoomToAnswer(request)) done()
    else sendFull(reply)
  })
}, { name: 'one-way-places', fastify: '5.x', dependencies: ['envelope', 'places'] })
