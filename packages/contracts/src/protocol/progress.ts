export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}
