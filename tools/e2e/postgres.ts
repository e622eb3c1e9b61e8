/** The image of a PostgreSQL server, of Debian's packages. */
export const postgresImage = 'docker.io/e2e/postgres:17';
