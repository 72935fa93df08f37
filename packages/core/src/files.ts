/** Reads files. Tests and simulations supply their own. */
export interface FileReader {
  read(path: string): Promise<string>
}

/** Also lists folders. */
export interface FolderReader extends FileReader {
  /** The names of the files and folders in a folder. */
  list(path: string): Promise<readonly string[]>
}

/** The content, or `undefined` if the file does not exist. Other errors, such as missing permissions, are thrown. */
export async function readFileIfExists(
  files: FileReader,
  path: string,
): Promise<string | undefined> {
  try {
    return await files.read(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && isAbsent(error.code)) return undefined
    throw error
  }
}

const isAbsent = (code: unknown): boolean => code === 'ENOENT' || code === 'ENOTDIR'
