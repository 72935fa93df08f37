import { systemClock } from '@machinist/core/clock'
import { connect } from '../../../process/connect.ts'
import type { Terminal } from '../../../process/terminal.ts'
import { styleFor } from '../../text/style.ts'
import type { RotateRequest } from './carry-out.ts'
import { carryOutRequest } from './carry-out.ts'
import type { RotateOutput } from './output.ts'
import { jsonDocument, jsonLines, textOutput } from './output.ts'
import type { RotateOptions } from './rotate.ts'

export async function runRotate(
  name: string | undefined,
  options: RotateOptions,
  terminal: Terminal,
): Promise<void> {
  const clock = systemClock
  const { client, close } = await connect({ kubeconfig: options.kubeconfig })
  const output = outputFor(options, terminal)
  try {
    await carryOutRequest(requestOf(name, options), {
      client,
      clock,
      output,
      stopped: terminal.stopped,
    })
  } finally {
    close()
  }
}

function requestOf(name: string | undefined, options: RotateOptions): RotateRequest {
  const { status, back, without, watch, dryRun, force, timeout } = options
  return {
    ...(name !== undefined && { name }),
    action: status ? 'status' : back ? 'back' : without ? { without } : 'rotate',
    watch,
    dryRun,
    force,
    ...(timeout !== undefined && { timeoutMs: timeout }),
  }
}

function outputFor({ output, watch }: RotateOptions, { out, window }: Terminal): RotateOutput {
  const now = (): number => systemClock.now()
  if (output === 'json') return watch ? jsonLines(out, now) : jsonDocument(out, now)
  const size = window?.()
  return textOutput(out, styleFor({ isTTY: size !== undefined }, process.env), size)
}
