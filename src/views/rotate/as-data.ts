import { timestamp } from '@machinist/core/timestamp'
import type { Authority } from './authority.ts'
import type { Progress } from './progress.ts'

const mostNamed = 100

/** Pure: the progress for programs: times as Kubernetes writes them, lengths in seconds. */
export function progressData(progress: Progress): object {
  const { phase, current, nodes, began, waitsFor, degraded } = progress
  return {
    rotation: progress.rotation,
    ...(phase && { phase }),
    ...(began !== undefined && { began: timestamp(began) }),
    goesBack: progress.isBack,
    ...(current && { current: authorityData(current) }),
    retiring: progress.old.map(authorityData),
    ...(nodes && { nodes: nodesData(nodes) }),
    certificates: progress.certificates.map(({ object, isDone }) => ({
      object,
      signedByCurrent: isDone,
    })),
    filesWritten: progress.files,
    kubeletsRestarted: progress.restarts,
    ...(waitsFor && { waitsFor }),
    ...(degraded !== undefined && { degraded }),
  }
}

/** What it came to, in addition. */
export function summaryData(progress: Progress): object {
  const { phases, began, now } = progress
  const seconds = (ms: number): number => Math.round(ms / 1000)
  return {
    ...progressData(progress),
    ...(began !== undefined && { seconds: seconds(now - began) }),
    secondsPerPhase: Object.fromEntries(
      phases.flatMap(({ phase, ms }) => (ms === undefined ? [] : [[phase, seconds(ms)]])),
    ),
  }
}

function authorityData({ name, fingerprint, notAfter }: Authority): object {
  return { name, fingerprint, notAfter: timestamp(notAfter) }
}

function nodesData({ goal, total, counts, waitedFor }: NonNullable<Progress['nodes']>): object {
  return {
    waitsUntilThey: goal === 'trust' ? 'trust the current CA' : 'have let the old CA go',
    total,
    ...counts,
    waitedFor: waitedFor
      .slice(0, mostNamed)
      .map(({ node, pool, standing, why }) => ({ node, pool, standing, why })),
  }
}
