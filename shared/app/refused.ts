/** Another writer was first: the caller reads and decides again. */
export class Conflict extends Error {
  constructor(what: string, cause?: unknown) {
    super(`Another write came first: ${what}`, { cause });
    this.name = 'Conflict';
  }
}

/** No store accepts this record, id or query. It is our own fault, since the edges must refuse it. The message never names the value. */
export class Refused extends Error {
  constructor(what: string, cause?: unknown) {
    super(`The store refuses ${what}`, { cause });
    this.name = 'Refused';
  }
}
