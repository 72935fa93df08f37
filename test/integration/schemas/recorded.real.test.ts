import { join } from 'node:path'
import { format } from 'prettier'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnRealCluster, startPrivateCluster } from '@machinist/testing/real-cluster'
import type { Cluster } from '@machinist/testing/start-cluster'
import { askRealServer } from './ask-real-server.ts'

// A cluster of its own: the probes are CRDs, and the examples include objects whose names are fixed.
describeOnRealCluster('what is recorded about schemas', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startPrivateCluster()
  })
  afterAll(() => cluster.stop())

  // After a change of probes, mistakes or examples: run this with -u.
  it('is what a real API server says', async () => {
    const text = await format(JSON.stringify(await askRealServer(cluster)), {
      parser: 'json',
      printWidth: 100,
    })
    await expect(text).toMatchFileSnapshot(join(import.meta.dirname, 'recorded.json'))
  })
})
