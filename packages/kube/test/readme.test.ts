import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import { until } from '@machinist/testing/until'
import type { ControllerContext } from '../src/controller/controller-context.ts'
import { configMaps } from '../src/kinds/core.ts'

interface Example {
  readonly labelConfigMaps: (context: ControllerContext, signal: AbortSignal) => Promise<void>
}

const root = join(import.meta.dirname, '../../..')

/** Imports the first example of the README, from a directory in which Node resolves the packages. */
async function importExample(): Promise<Example> {
  const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8')
  const [, code = ''] = /```ts\n(.*?)```/s.exec(readme) ?? []
  const cache = join(root, 'node_modules/.cache')
  await mkdir(cache, { recursive: true })
  const directory = await mkdtemp(join(cache, 'machinist-readme-'))
  try {
    const path = join(directory, 'example.mjs')
    await writeFile(path, stripTypeScriptTypes(code))
    return (await import(path)) as Example
  } finally {
    await rm(directory, { recursive: true })
  }
}

describe('the example of the README', () => {
  it('labels existing and new ConfigMaps', async () => {
    await using server = await startServer()
    const { client } = server
    const create = (name: string): Promise<unknown> =>
      client.create(configMaps, { metadata: { name, namespace: 'default' } })
    const isLabeled = async (name: string): Promise<boolean> => {
      const { metadata } = await client.get(configMaps, { namespace: 'default', name })
      return metadata.labels?.['reviewed'] === 'false'
    }
    await create('existing')
    const { labelConfigMaps } = await importExample()
    const stop = new AbortController()
    const context: ControllerContext = {
      client,
      clock: systemClock,
      random: seededRandom(1),
      log: silentLogger,
      metrics: new Metrics(),
      events: { normal: () => undefined, warning: () => undefined },
    }
    const running = labelConfigMaps(context, stop.signal)
    await until('the existing ConfigMap is labeled', () => isLabeled('existing'))
    await create('new')
    await until('the new ConfigMap is labeled', () => isLabeled('new'))
    stop.abort()
    await expect(running).resolves.toBeUndefined()
  })
})
