export interface ChoreRecords {
  /** Whether the caller should do a chore now: true for one caller, then for nobody until `everyMs` have passed. */
  begin(name: string, everyMs: number): Promise<boolean>;
  /** Records that the chore is still running, as if it had begun now. */
  keep(name: string): Promise<void>;
}
