CREATE TABLE "changes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "changes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"device_id" text NOT NULL,
	"fence" bigint NOT NULL,
	"kind" text NOT NULL,
	"target" text NOT NULL,
	"before" text
);
--> statement-breakpoint
CREATE TABLE "claim" (
	"id" integer PRIMARY KEY NOT NULL,
	"term" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at_ms" bigint NOT NULL,
	"event" text NOT NULL,
	"device_id" text,
	"lease" text,
	"principal" text,
	"by" text,
	"reason" text
);
--> statement-breakpoint
CREATE TABLE "devices" (
	"id" text PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"fence" bigint NOT NULL,
	"reason" text,
	"block_reason" text,
	"block_by" text,
	"block_at_ms" bigint,
	"drain_reason" text,
	"drain_by" text,
	"drain_at_ms" bigint,
	"drain_deadline_at_ms" bigint,
	"last_used_at_ms" bigint NOT NULL,
	"failures" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "leases" (
	"handle" text PRIMARY KEY NOT NULL,
	"device_id" text NOT NULL,
	"boot_id" text NOT NULL,
	"fence" bigint NOT NULL,
	"principal" text NOT NULL,
	"session_key" text,
	"state" text NOT NULL,
	"purpose" text,
	"priority" text NOT NULL,
	"granted_at_ms" bigint NOT NULL,
	"ttl_ms" bigint NOT NULL,
	"expires_at_ms" bigint NOT NULL,
	"must_end_at_ms" bigint NOT NULL,
	"idle_ms" bigint NOT NULL,
	"last_control_at_ms" bigint NOT NULL,
	"is_used" boolean NOT NULL,
	"is_confirmed" boolean NOT NULL,
	"heartbeat_ms" bigint,
	"end_reason" text,
	"ended_at_ms" bigint,
	"end_note" text,
	"ordinal" bigint GENERATED ALWAYS AS IDENTITY (sequence name "leases_ordinal_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1)
);
--> statement-breakpoint
CREATE TABLE "presence" (
	"id" integer PRIMARY KEY NOT NULL,
	"alive_at_ms" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "changes" ADD CONSTRAINT "changes_device_id_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "leases" ADD CONSTRAINT "leases_device_id_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "changes_once_per_thing" ON "changes" USING btree ("device_id","kind","target");--> statement-breakpoint
CREATE INDEX "audit_by_age" ON "audit" USING btree ("at_ms");--> statement-breakpoint
CREATE UNIQUE INDEX "leases_one_open_per_device" ON "leases" USING btree ("device_id") WHERE state <> 'ended';--> statement-breakpoint
CREATE UNIQUE INDEX "leases_fence_once_per_device" ON "leases" USING btree ("device_id","fence");--> statement-breakpoint
CREATE UNIQUE INDEX "leases_one_live_per_session_key" ON "leases" USING btree ("principal","session_key") WHERE session_key is not null and state in ('granted', 'awaiting_owner');--> statement-breakpoint
CREATE INDEX "leases_live_by_expiry" ON "leases" USING btree ("expires_at_ms") WHERE state in ('granted', 'awaiting_owner');--> statement-breakpoint
CREATE INDEX "leases_by_session_key" ON "leases" USING btree ("principal","session_key","ordinal") WHERE session_key is not null;--> statement-breakpoint
CREATE INDEX "leases_ended_by_age" ON "leases" USING btree ("ended_at_ms") WHERE state = 'ended';