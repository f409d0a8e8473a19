/** The database servers that can be read. */
export const databaseServers = ["postgres", "mysql", "mariadb", "sqlite"] as const;

/** One of the database servers that can be read. */
export type DatabaseServer = (typeof databaseServers)[number];

/** How far a connection is protected: `verify` checks the server's certificate, `prefer` may go without. */
export const tlsModes = ["prefer", "require", "verify", "off"] as const;

/** One SELECT for a database. */
export interface DatabaseQuery {
  readonly server: DatabaseServer;
  /** A host, `host:port`, or a file for SQLite. */
  readonly address: string;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly query: string;
  readonly tls: (typeof tlsModes)[number];
  /** Certificates in PEM that `verify` trusts in place of the well-known ones. */
  readonly certificates?: string | undefined;
  /** How long to wait for the server each time it is asked. */
  readonly timeoutMs: number;
}
