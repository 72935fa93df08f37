import { readFileSync } from 'node:fs'

/** Megabytes, as the kernel counts them. `RssFile` are pages of programs on disk, shared by all their processes. */
export function megabytesOf(pid: number, field: 'VmRSS' | 'RssAnon' | 'RssFile' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const [, kilobytes = '0'] = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status) ?? []
  return Number(kilobytes) / 1024
}

/** Seconds of processor time that a process has used so far, all its threads together. */
export function processorSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The program's name, in parentheses, may contain anything; what is counted in hundredths of a second comes after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}
