import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import mysql from 'mysql2/promise'
import pg from 'pg'
import postgres from 'postgres'
import { beginMysql2 } from '../../../src/stores/mysql/index.js'
import { beginPg } from '../../../src/stores/postgres/index.js'
import { BUILD, importPackage, PACKAGES } from '../packages/packages.js'

/** The two functions of a transaction store, as the guide shows them, with one client or query builder. */
export interface Client {
  // biome-ignore lint/suspicious/noExplicitAny: each client has its own transaction.
  begin(run: (transaction: any) => Promise<void>): PromiseLike<unknown>
  // biome-ignore lint/suspicious/noExplicitAny: each client has its own transaction.
  query(transaction: any, text: string): PromiseLike<unknown>
  close(): Promise<unknown>
}

type Open = (url: string, connections: number) => Client | Promise<Client>

function pgPool(url: string, connections: number): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: connections })
  pool.on('error', () => {})
  // As the guide says for query builders.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

async function openKnex(client: string, url: string, connections: number): Promise<Client> {
  const { default: knex } = await importPackage('knex')
  const database = knex({ client, connection: url, pool: { min: 0, max: connections } })
  return {
    begin: (run) => database.transaction(run),
    query: (t, text) => t.raw(text),
    close: () => database.destroy(),
  }
}

async function openTypeOrm(type: string, url: string, connections: number): Promise<Client> {
  const { DataSource } = await importPackage('typeorm')
  const dataSource = await new DataSource({ type, url, poolSize: connections }).initialize()
  return {
    begin: (run) => dataSource.transaction(run),
    query: (t, text) => t.query(text),
    close: () => dataSource.destroy(),
  }
}

async function openSequelize(url: string, connections: number): Promise<Client> {
  const { Sequelize } = await importPackage('sequelize')
  const sequelize = new Sequelize(url.replace('mariadb:', 'mysql:'), { logging: false, pool: { max: connections } })
  return {
    begin: (run) => sequelize.transaction(run),
    query: (transaction, text) => sequelize.query(text, { transaction }),
    close: () => sequelize.close(),
  }
}

/** Generates the code that Prisma needs, and returns its path. Its migration engine is not used, so a program that does nothing stands for it. */
export function generatePrismaClient(): string {
  const folder = join(BUILD, 'prisma')
  mkdirSync(folder, { recursive: true })
  const engine = join(folder, 'engine')
  writeFileSync(engine, '#!/bin/sh\n', { mode: 0o755 })
  writeFileSync(
    join(folder, 'schema.prisma'),
    'generator client {\nprovider = "prisma-client"\noutput = "./client"\n}\ndatasource db {\nprovider = "postgresql"\n}\nmodel Event {\nid String @id\n}\n',
  )
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: engine }
  execFileSync(
    process.execPath,
    [join(PACKAGES, 'prisma/build/index.js'), 'generate', '--schema', join(folder, 'schema.prisma')],
    { env },
  )
  return join(folder, 'client/client.ts')
}

async function openPrisma(url: string): Promise<Client> {
  const { PrismaClient } = await import(process.env['PRISMA_CLIENT'] ?? generatePrismaClient())
  const { PrismaPg } = await importPackage('@prisma/adapter-pg')
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) })
  return {
    begin: (run) => prisma.$transaction(run),
    query: (t, text) => t.$queryRawUnsafe(text),
    close: () => prisma.$disconnect(),
  }
}

export const POSTGRES_CLIENTS: Readonly<Record<string, Open>> = {
  pg(url, connections) {
    const pool = new pg.Pool({ connectionString: url, max: connections })
    pool.on('error', () => {})
    return { begin: beginPg(pool), query: (client: pg.PoolClient, text) => client.query(text), close: () => pool.end() }
  },
  'postgres.js'(url, connections) {
    const sql = postgres(url, { max: connections, onnotice() {} })
    return {
      begin: (run) => sql.begin(run),
      query: (t: postgres.TransactionSql, text) => t.unsafe(text),
      close: () => sql.end(),
    }
  },
  async 'Drizzle on pg'(url, connections) {
    const [{ drizzle }, { sql }] = [
      await importPackage('drizzle-orm/node-postgres'),
      await importPackage('drizzle-orm'),
    ]
    const pool = pgPool(url, connections)
    const db = drizzle({ client: pool })
    return {
      begin: (run) => db.transaction(run),
      query: (t, text) => t.execute(sql.raw(text)),
      close: () => pool.end(),
    }
  },
  async 'Drizzle on postgres.js'(url, connections) {
    const [{ drizzle }, { sql }] = [await importPackage('drizzle-orm/postgres-js'), await importPackage('drizzle-orm')]
    const client = postgres(url, { max: connections, onnotice() {} })
    const db = drizzle({ client })
    return {
      begin: (run) => db.transaction(run),
      query: (t, text) => t.execute(sql.raw(text)),
      close: () => client.end(),
    }
  },
  async Kysely(url, connections) {
    const { Kysely, PostgresDialect, sql } = await importPackage('kysely')
    const db = new Kysely({ dialect: new PostgresDialect({ pool: pgPool(url, connections) }) })
    return {
      begin: (run) => db.transaction().execute(run),
      query: (t, text) => sql.raw(text).execute(t),
      close: () => db.destroy(),
    }
  },
  Knex: (url, connections) => openKnex('pg', url, connections),
  Prisma: openPrisma,
  TypeORM: (url, connections) => openTypeOrm('postgres', url, connections),
  Sequelize: openSequelize,
}

export const MYSQL_CLIENTS: Readonly<Record<string, Open>> = {
  mysql2(uri, connectionLimit) {
    const pool = mysql.createPool({ uri, connectionLimit })
    return {
      begin: beginMysql2(pool),
      query: (connection: mysql.PoolConnection, text) => connection.query(text),
      close: () => pool.end(),
    }
  },
  async Drizzle(uri, connectionLimit) {
    const [{ drizzle }, { sql }] = [await importPackage('drizzle-orm/mysql2'), await importPackage('drizzle-orm')]
    const pool = mysql.createPool({ uri, connectionLimit })
    const db = drizzle({ client: pool })
    return {
      begin: (run) => db.transaction(run),
      query: (t, text) => t.execute(sql.raw(text)),
      close: () => pool.end(),
    }
  },
  async Kysely(uri, connectionLimit) {
    const { Kysely, MysqlDialect, sql } = await importPackage('kysely')
    const { createPool } = await importPackage('mysql2')
    const db = new Kysely({ dialect: new MysqlDialect({ pool: createPool({ uri, connectionLimit }) }) })
    return {
      begin: (run) => db.transaction().execute(run),
      query: (t, text) => sql.raw(text).execute(t),
      close: () => db.destroy(),
    }
  },
  Knex: (url, connections) => openKnex('mysql2', url, connections),
  TypeORM: (url, connections) => openTypeOrm('mysql', url, connections),
  Sequelize: openSequelize,
}
