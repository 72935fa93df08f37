import { systemClock } from '@machinist/core/clock'
import { connect } from '../../process/connect.ts'
import type { Wish } from '../rotate/conduct.ts'
import { conduct } from '../rotate/conduct.ts'
import type { Output } from '../rotate/output.ts'
import { jsonDocument, jsonLines, textOutput } from '../rotate/output.ts'
import type { Terminal } from '../../process/terminal.ts'
import { styleFor } from '../style.ts'
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
    await conduct(wishOf(name, options), { client, clock, output, stopped: terminal.stopped })
  } finally {
    close()
  }
}

function wishOf(name: string | undefined, options: RotateOptions): Wish {
  const { status, back, without, watch, dryRun, force, timeout } = options
  return {
    ...(name !== undefined && { name }),
    does: status ? 'status' : back ? 'back' : without ? { without } : 'rotate',
    watch,
    dryRun,
    force,
    ...(timeout !== undefined && { timeoutMs: timeout }),
  }
}

function outputFor({ output, watch }: RotateOptions, { out, window }: Terminal): Output {
  const now = (): number => systemClock.now()
  if (output === 'json') return watch ? jsonLines(out, now) : jsonDocument(out, now)
  const size = window?.()
  return textOutput(out, styleFor({ isTTY: size !== undefined }, process.env), size)
}
