import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'postgresql',
  schema: './src/store/schema/postgres/*-table*.ts',
  out: './migrations/postgres'
})
