import { join } from 'node:path'
import { format } from 'prettier'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  describeOnRealCluster,
  startPrivateCluster,
} from '@machinist/testing/clusters/real-cluster'
import type { Cluster } from '@machinist/testing/clusters/start-cluster'
import { askRealServer } from './ask-real-server.ts'

// A private cluster, because the probes are CRDs and some examples have fixed names.
describeOnRealCluster('the recording of schema validation', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startPrivateCluster()
  })
  afterAll(() => cluster.stop())

  // After a change of probes, mistakes or examples, run this test with -u.
  it('matches the responses of a real API server', async () => {
    const text = await format(JSON.stringify(await askRealServer(cluster)), {
      parser: 'json',
      printWidth: 100,
    })
    await expect(text).toMatchFileSnapshot(join(import.meta.dirname, 'recorded.json'))
  })
})
