import { afterEach, beforeAll } from 'vitest'
import type { KubeClient } from '@machinist/kube/client/client'
import { installDefinitions } from '../../../../src/api/definitions/definitions.fixture.ts'
import { keptConfigCases } from './kept-config-cases.ts'
import { RenderCluster } from './render-cluster.ts'
import { renderingCases } from './rendering-cases.ts'
import { reportCases } from './report-cases.ts'
import { updatedConditionCases } from './updated-condition-cases.ts'

/** Runs on the embedded API server and on a real one. */
export function renderCases(client: KubeClient): void {
  const cluster = new RenderCluster(client)
  beforeAll(() => installDefinitions(client))
  afterEach(() => cluster.clear())

  renderingCases(cluster)
  updatedConditionCases(cluster)
  reportCases(cluster)
  keptConfigCases(cluster)
}
