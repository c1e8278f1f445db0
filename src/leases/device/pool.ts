/**
 * The pool: a lane for each device that is in it.
 *
 * Devices come and go as their sources say (`device-source.ts`), while the gateway runs. A device
 * that appears is recorded if it never was, gets a lane, and is looked at; one that appears again
 * goes on in the lane it has, with another driver. A device that is lost keeps its lane, so that
 * its lease can wait for it. A device that an operator removes keeps its lane until its lease is
 * over. All that takes its turn among the changes to the device, in one mailbox.
 */
import type { DeviceDriver } from '../../devices/device-driver.ts'
import type { Departure, DeviceSink, DeviceSource } from '../../devices/device-source.ts'
import { fenceDriver } from '../../devices/fenced-driver.ts'
import { LeasesUnavailableRefusal } from '../contract/lease-refusals.ts'
import { createLane, type Lane, type LaneParts } from './lane.ts'
import { createMailbox, inTurn, type Mailbox } from './mailbox.ts'

export interface Pool {
  /** In the order in which the devices came. */
  readonly lanes: readonly Lane[]
  lane (deviceId: string): Lane | undefined
  /** Starts the sources. Resolves once they have told of the devices that are there now. */
  start (): Promise<void>
  /** Stops the sources, breaks off what runs on devices, and closes the drivers. */
  stop (): Promise<void>
}

interface Member {
  readonly lane: Lane
  /** The source that told of it last. */
  source: DeviceSource
  /** Undefined once the source has lost it. */
  driver: DeviceDriver | undefined
}

export function createPool (sources: readonly DeviceSource[], parts: Omit<LaneParts, 'onEmpty'>): Pool {
  const { context: { log, inBackground, nowMs }, store, tell } = parts
  const members = new Map<string, Member>()
  const mailboxes = new Map<string, Mailbox>()
  let lanes: readonly Lane[] = []
  let stopped = false

  function mailboxOf (deviceId: string): Mailbox {
    const mailbox = mailboxes.get(deviceId) ?? createMailbox()
    mailboxes.set(deviceId, mailbox)
    return mailbox
  }

  /** The last turn of a device that is not in the pool takes its mailbox away. */
  async function inTurnOf<T> (deviceId: string, work: (mailbox: Mailbox) => Promise<T>): Promise<T> {
    const mailbox = mailboxOf(deviceId)
    try {
      return await inTurn([mailbox], () => work(mailbox))
    } finally {
      if (!members.has(deviceId) && mailbox.last === undefined) mailboxes.delete(deviceId)
    }
  }

  function noteMembers () {
    lanes = [...members.values()].map(({ lane }) => lane)
  }

  async function appeared (driver: DeviceDriver, source: DeviceSource, order?: { readonly by: string }): Promise<void> {
    const { id } = driver.description
    let lane: Lane
    try {
      lane = await inTurnOf(id, async (mailbox) => {
        const member = members.get(id) ?? await enroll(driver, source, mailbox, order)
        if (member.source !== source && member.driver !== undefined) throw new Error(`two drivers claim to be the same device: ${id}`)
        if (member.driver !== driver) {
          await member.lane.connect(fenceDriver(driver))
          Object.assign(member, { source, driver })
        }
        return member.lane
      })
    } catch (fault) {
      inBackground(driver.close(), 'driver could not be closed', { device: id })
      throw fault
    }
    inBackground(lane.clean(), 'cleanup broke off', { device: id })
    // A lease that cannot be ended now is ended later by its lane.
    await lane.look().catch((fault: unknown) => log.error({ device: id, err: fault }, 'lease could not be ended in time'))
  }

  async function enroll (
    { description }: DeviceDriver, source: DeviceSource, mailbox: Mailbox, order: { readonly by: string } | undefined
  ): Promise<Member> {
    const { id } = description
    await store.enroll([id])
    if (order !== undefined) await store.change({ type: 'add', deviceId: id, by: order.by, nowMs: nowMs() })
    const occupancy = (await store.occupancies()).find(({ device }) => device.id === id)
    if (occupancy === undefined) throw new Error(`device ${id} could not be recorded`)
    if (stopped) throw new LeasesUnavailableRefusal()
    const member = { lane: createLane({ description, occupancy, mailbox }, { ...parts, onEmpty }), source, driver: undefined }
    members.set(id, member)
    noteMembers()
    return member
  }

  async function gone (deviceId: string, departure: Departure, source: DeviceSource): Promise<void> {
    const lane = await inTurnOf(deviceId, async () => {
      const member = members.get(deviceId)
      if (member === undefined || member.source !== source || stopped) return undefined
      if (departure.kind === 'removed') {
        await member.lane.leave(departure)
      } else {
        member.lane.disconnect(departure.reason)
        member.driver = undefined
      }
      return member.lane
    })
    if (departure.kind === 'removed') await lane?.review()
  }

  function onEmpty (lane: Lane) {
    inBackground(remove(lane), 'device could not be removed', { device: lane.deviceId })
  }

  async function remove (lane: Lane) {
    const { deviceId } = lane
    const isRemoved = await inTurnOf(deviceId, async () => {
      if (members.get(deviceId)?.lane !== lane || !lane.isEmpty || stopped) return false
      members.delete(deviceId)
      noteMembers()
      await lane.left().catch((fault: unknown) => log.error({ device: deviceId, err: fault }, 'that a device left could not be recorded'))
      return true
    })
    if (!isRemoved) return
    log.info({ device: deviceId }, 'device leaves the pool')
    tell({ deviceId, ended: undefined })
    await lane.stop()
  }

  function sinkOf (source: DeviceSource): DeviceSink {
    return {
      appeared: (driver, order) => appeared(driver, source, order),
      gone: (deviceId, departure) => gone(deviceId, departure, source),
      isKnown: async (deviceId) => members.has(deviceId) || (await store.occupancies()).some(({ device }) => device.id === deviceId)
    }
  }

  return {
    get lanes () { return lanes },
    lane: (deviceId) => members.get(deviceId)?.lane,

    async start () {
      await Promise.all(sources.map((source) => source.start(sinkOf(source))))
    },

    async stop () {
      stopped = true
      const stops = [...sources.map((source) => source.stop()), ...lanes.map((lane) => lane.stop())]
      for (const outcome of await Promise.allSettled(stops)) {
        if (outcome.status === 'rejected') log.error({ err: outcome.reason }, 'a part of the pool could not be stopped')
      }
    }
  }
}
