import { timestamp } from '@machinist/core/timestamp'
import type { RotationCA } from './authority.ts'
import type { RotationForecast } from './forecast.ts'
import type { RotationProgress } from './progress.ts'

const maxNodes = 100

/** Pure: the progress for programs. Times are in the format of Kubernetes, durations in seconds. */
export function progressData(progress: RotationProgress): object {
  const { phase, current, nodes, began, waitsFor, degraded } = progress
  return {
    rotation: progress.rotation,
    ...(phase && { phase }),
    ...(began !== undefined && { began: timestamp(began) }),
    goesBack: progress.isBack,
    ...(current && { current: authorityData(current) }),
    retiring: progress.retiring.map(authorityData),
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

/** The progress with the durations of a completed rotation. */
export function summaryData(progress: RotationProgress): object {
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

function authorityData({ name, fingerprint, notAfter }: RotationCA): object {
  return { name, fingerprint, notAfter: timestamp(notAfter) }
}

function nodesData({
  goal,
  total,
  counts,
  waitedFor,
}: NonNullable<RotationProgress['nodes']>): object {
  return {
    waitsUntilThey: goal === 'trust' ? 'trust the current CA' : 'have let the old CA go',
    total,
    ...counts,
    waitedFor: waitedFor
      .slice(0, maxNodes)
      .map(({ node, pool, standing, why }) => ({ node, pool, standing, why })),
  }
}

/** Pure: the forecast for programs. */
export function forecastData(forecast: RotationForecast): object {
  const { rotation, signer, current, trustedBy, nodes, slow, held, restarts, signed } = forecast
  const { userDataMs } = forecast
  return {
    rotation,
    signer,
    ...(current && { current: authorityData(current) }),
    ...(trustedBy && { trustedBy }),
    ...(nodes !== undefined && { nodes }),
    ...(userDataMs !== undefined && { userDataSettleSeconds: Math.round(userDataMs / 1000) }),
    delivery: forecast.isRendered ? 'rendered' : 'direct',
    slowNodes: slow,
    pausedPools: held,
    restarts,
    signs: signed,
    atLeastSeconds: Math.round(forecast.leastMs / 1000),
    against: forecast.against,
  }
}
