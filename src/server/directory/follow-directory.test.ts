import { expect, it } from 'vitest'
import { createLogger } from '@machinist/core/log'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { MemoryFiles, poolText, renderedConfig } from './directory-texts.fixture.ts'
import { controllerConfigText } from './directory-texts.fixture.ts'
import { FollowedDirectory } from './follow-directory.ts'
import { DirectoryReader } from './read-directory.ts'

it('a followed directory reports changes, logs each problem once, and stops', async () => {
  const clock = new VirtualClock()
  const config = renderedConfig('worker', {})
  const files = new MemoryFiles()
  const pool = '/d/machine-pools/worker.yaml'
  files.texts
    .set(pool, poolText('worker', config.name))
    .set(`/d/machine-configs/${config.name}.yaml`, config.text)
    .set('/d/controller-config/machine-config-controller.yaml', controllerConfigText('10.0.0.10'))
  const logged: string[] = []
  const log = createLogger({ clock, write: (line) => void logged.push(line) })
  const reader = new DirectoryReader({ directory: '/d', files })
  const followed = new FollowedDirectory({ reader, clock, log })
  let changes = 0
  followed.subscribe(() => changes++)
  const stop = new AbortController()
  expect(followed.current()).toBeUndefined()
  const running = followed.run(stop.signal)

  await clock.advance(0)
  const first = followed.current()
  expect([...(first?.pools.keys() ?? [])]).toEqual(['worker'])
  expect(changes).toBe(1)

  await clock.advance(10_000)
  expect(followed.current()).toBe(first)
  expect(changes).toBe(1)
  expect(followed.readAt).toBe(clock.now())

  files.texts.set(pool, 'a: [')
  await clock.advance(10_000)
  expect(changes).toBe(2)
  expect(followed.current()?.pools).toEqual(first?.pools)
  expect(logged).toHaveLength(1)
  expect(logged[0]).toContain('/d/machine-pools/worker.yaml: not valid YAML')

  files.texts.set(pool, poolText('worker', config.name))
  await clock.advance(2000)
  expect(followed.current()?.problems).toEqual([])
  files.texts.set(pool, 'a: [')
  await clock.advance(2000)
  expect(logged).toHaveLength(2)

  stop.abort()
  await running
})
