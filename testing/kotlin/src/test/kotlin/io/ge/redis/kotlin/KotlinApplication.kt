// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.kotlin

import org.springframework.boot.SpringBootConfiguration
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.context.annotation.Import

/**
 * An application with the starter and nothing else.
 */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import(Desk::class)
class KotlinApplication
