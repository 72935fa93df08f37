import { readFileSync } from 'node:fs'

/** Memory of a process in megabytes. `RssFile` is memory of mapped files that processes share. */
export function megabytesOf(pid: number, field: 'VmRSS' | 'RssAnon' | 'RssFile' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const [, kilobytes = '0'] = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status) ?? []
  return Number(kilobytes) / 1024
}

/** CPU time of all threads of a process in seconds. */
export function processorSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name of the program, in parentheses, can contain anything. The times after it are in hundredths of a second.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}
