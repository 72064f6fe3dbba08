// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme.tickets;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cache.annotation.EnableCaching;

/**
 * Sells tickets.
 */
@SpringBootApplication
@EnableCaching
class TicketApplication {

}
