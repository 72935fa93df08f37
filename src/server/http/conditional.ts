/** Whether the client has this content already: an If-None-Match header names its ETag. */
export function isNotModified(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((item) => {
    const text = item.trim()
    return text === '*' || (text.startsWith('W/') ? text.slice(2) : text) === etag
  })
}

/** Whether an Accept-Encoding header allows gzip. */
export function acceptsGzip(header: string | undefined): boolean {
  if (header === undefined) return false
  return header.split(',').some((item) => {
    const [coding = '', ...parameters] = item.split(';')
    const name = coding.trim().toLowerCase()
    if (name !== 'gzip' && name !== 'x-gzip') return false
    return !parameters.some((parameter) => /^ {0,8}q=0(?:\.0{0,3})? {0,8}$/i.test(parameter))
  })
}
