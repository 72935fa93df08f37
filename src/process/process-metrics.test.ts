import { expect, it } from 'vitest'
import { processMetrics } from './process-metrics.ts'

const numberOf = (name: string): number =>
  Number(new RegExp(`^${name} (.*)$`, 'm').exec(processMetrics())?.[1])

it('a process exposes its memory, CPU time, start time and version', () => {
  const memory = numberOf('process_resident_memory_bytes')
  expect(memory).toBeGreaterThan(10e6)
  expect(memory).toBeLessThan(10e9)
  const before = numberOf('process_cpu_seconds_total')
  expect(before).toBeGreaterThan(0)
  // Consume some CPU time.
  while (numberOf('process_cpu_seconds_total') <= before);
  const age = Date.now() / 1000 - numberOf('process_start_time_seconds')
  expect(age).toBeGreaterThan(0)
  expect(age).toBeLessThan(3600)
  expect(processMetrics()).toMatch(/^machinist_build_info\{version="\d+\.\d+\.\d+[^"]*"\} 1$/m)
})
