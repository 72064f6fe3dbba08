// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.fault;

/**
 * Whose implementation suffers.
 *
 * @param name its name in the tables
 * @param application the application that uses it
 * @param properties what the application is told
 */
record Subject(String name, Class<?> application, String... properties) {

}
