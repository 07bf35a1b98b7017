/** Saves a file like a download of the browser. */
export interface FileToSave {
  readonly name: string;
  readonly blob: Blob;
}

export function saveFile({ name, blob }: FileToSave): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
