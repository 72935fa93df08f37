import { messageOf } from '@machinist/core/errors'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { isConflict } from '@machinist/kube/failure'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import { HostFailure } from '../host/host-failure.ts'
import type { FollowSources } from './gather.ts'
import type { FollowReportContext } from './report.ts'

type FollowRecoverContext = FollowReportContext & Pick<FollowSources, 'node' | 'stop'>

/** Retries with back-off. A failure of the machine is reported on the Node. */
export async function recover(failure: unknown, context: FollowRecoverContext): Promise<Outcome> {
  const { memory, log, stop } = context
  if (stop.aborted) return settled
  if (isConflict(failure)) {
    log.info('the Node changed since it was read')
    return requeueAfter(catchUpMs)
  }
  log.error('cannot follow the desired config, retrying', failure)
  if (failure instanceof HostFailure) await reportHostFailure(failure, context)
  return stop.aborted ? settled : requeueAfter(memory.errorDelayMs())
}

async function reportHostFailure(
  failure: HostFailure,
  { node, reporter, log }: FollowRecoverContext,
): Promise<void> {
  const view = node.view()
  if (!view) return
  try {
    await reporter.reportFailure(view, messageOf(failure))
  } catch (error) {
    log.error('cannot report the failure on the Node', error)
  }
}
